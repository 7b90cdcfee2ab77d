"""A host for the adapters, and the scripts of their agents."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from stressweb.runner.world.world import World
from tests.integrations.cells import Cells, CellsOf
from tests.support.episode_server import Server
from tests.support.gestures import Gesture, script_of
from tests.support.playing import Player


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that the tests of a file share."""
    server = Server("--out", str(tmp_path_factory.mktemp("host") / "run"))
    yield server
    server.end()


@pytest.fixture(scope="module")
def cells_of(browser: Browser, world: World) -> Iterator[CellsOf]:
    """`cells_of(tasks, conditions)` returns the cells with the script of each task."""
    player = Player(browser, world)
    scripts: dict[str, list[Gesture]] = {}

    def cells(tasks: list[str], conditions: list[str]) -> Cells:
        for task in tasks:
            scripts[task] = scripts.get(task) or script_of(player, task)
        return [
            {"task": task, "condition": condition, "script": scripts[task]}
            for task in tasks
            for condition in conditions
        ]

    yield cells
    player.close()
