"""One script gets the same grades through every adapter."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright._impl._driver import compute_driver_executable

from stressweb.core.task_id import site_of
from tests.integrations import ways
from tests.integrations.cells import Cells, CellsOf
from tests.support.episode_server import FIRST_HIT, Server
from tests.support.example_programs import installed

TASKS = [
    "calendar/change-of-place", "mail/write-with-a-copy", "network/comment-on-the-third",
    "reservation/best-of-a-cuisine", "ride/cancel-the-later-one", FIRST_HIT,
]  # fmt: skip
CONDITIONS = ["clean", "remap@3", "popup@3"]


def in_node(host: Server, cells: Cells, folder: Path) -> ways.Ended:
    """Play with the released Playwright for Node.js."""
    installed("npm", "install", "--no-audit", "--no-fund", "playwright-core", where=folder)
    program = shutil.copy(ways.HERE / "plain.js", folder)
    return ways.programs(host, cells, folder, ["node", program], "node")


WAYS: dict[str, Callable[[Server, Cells, Path], Any]] = {
    "node": in_node,
    "browsergym": lambda *place: ways.gym(*place)["ended"],
    "inspect": lambda *place: ways.inspect(*place)["ended"],
    "mcp": lambda *place: ways.mcp(*place)["ended"],
}


def grades(cells: Cells, ended: ways.Ended) -> dict[tuple[str, str], object]:
    """Return grade and claim of each episode, by task and condition."""
    assert len(cells) == len(ended)
    graded: dict[tuple[str, str], object] = {}
    for cell, end in zip(cells, ended, strict=True):
        assert end["grade"] is not None, end
        false_claim = end["claim"] == "done" and not end["grade"]["success"]
        graded[end["task"], end["condition"]] = {**end["grade"], "claim": end["claim"], "false claim": false_claim}
        assert (end["task"], end["condition"]) == (cell["task"], cell["condition"])
    return graded


@pytest.fixture(scope="module")
def cells(cells_of: CellsOf) -> Cells:
    """Every task under every condition."""
    return cells_of(TASKS, CONDITIONS)


@pytest.fixture(scope="module")
def in_python(host: Server, cells: Cells, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Any]:
    """The grades of plain Playwright in Python."""
    return grades(cells, ways.plain(host, cells, tmp_path_factory.mktemp("plain")))


@pytest.mark.audit
def test_the_script_succeeds_in_clean_and_fails_under_some_stress(
    in_python: dict[tuple[str, str], Any],
) -> None:
    assert len({site_of(task) for task, _ in in_python}) == 6
    failed = {(task, condition) for (task, condition), graded in in_python.items() if not graded["success"]}
    assert {condition for _, condition in failed} == {"remap@3", "popup@3"}, failed


@pytest.mark.audit
@pytest.mark.parametrize("way", WAYS)
def test_a_script_gets_the_grades_of_plain_playwright(
    host: Server, cells: Cells, in_python: dict[tuple[str, str], Any], way: str, tmp_path: Path
) -> None:
    graded = grades(cells, WAYS[way](host, cells, tmp_path))
    assert graded == in_python


@pytest.mark.audit
def test_a_script_gets_the_same_grade_in_node(host: Server, cells_of: CellsOf, tmp_path: Path) -> None:
    """Playwright for Python bundles Playwright for Node.js, so nothing needs to be installed."""
    node, cli = compute_driver_executable()
    modules = tmp_path / "node_modules"
    modules.mkdir()
    (modules / "playwright-core").symlink_to(Path(cli).parent)
    program = shutil.copy(ways.HERE / "plain.js", tmp_path)
    cells = cells_of([FIRST_HIT], ["remap@3"])
    ours = grades(cells, ways.plain(host, cells, tmp_path))
    assert grades(cells, ways.programs(host, cells, tmp_path, [node, program], "node")) == ours
