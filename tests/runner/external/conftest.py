"""Episodes of agents that are programs, run in this process by the functions that workers use."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from stressweb.log.limits import Limits
from stressweb.log.recording import EpisodeRecord
from stressweb.runner.world.world import World
from tests.support.programs import LIMITS, Programs, Ran


@pytest.fixture(scope="session")
def _programs(browser: Browser, world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    programs = Programs(browser, world, tmp_path_factory.mktemp("programs"))
    with programs.gate:
        yield programs


@pytest.fixture
def programs(_programs: Programs, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """`programs.run(command)` runs an episode; the program can import our packages."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    return _programs


@pytest.fixture
def ran(programs: Programs) -> Ran:
    """`ran("finish()")` runs an episode of a program with this body, which starts on the first page."""

    def run(body: str, label: str = "clean", limits: Limits = LIMITS) -> EpisodeRecord:
        return programs.run(programs.python(body), label, limits=limits)

    return run
