"""The Python API: a run that was recorded, opened and read."""

import json
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

import stressweb as sw
from stressweb.core.errors import UserError

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture
def run(tmp_path: Path) -> sw.Run:
    """A copy of the stored run."""
    folder = tmp_path / "golden"
    folder.mkdir()
    shutil.copy(GOLDEN / "run.db", folder)
    return sw.open_run(folder)


def test_what_was_recorded_is_read(run: sw.Run) -> None:
    figures = json.loads((GOLDEN / "figures.json").read_text("utf-8"))
    episodes = run.episodes()
    found = {(one.task, one.agent, one.condition): (one.status, one.claim, one.steps, one.success) for one in episodes}
    assert found == {
        tuple(key.split("|")[:3]): (one["status"], one["claim"], one["steps"], one["success"])
        for key, one in figures.items()
    }
    for row in run.results():
        own = [one for one in episodes if (one.agent, one.condition) == (row.agent, row.condition)]
        assert (row.episodes, row.successes) == (len(own), sum(one.success for one in own))
    steps = list(run.steps())
    assert len({(one["agent"], one["task"], one["condition"], one["epoch"]) for one in steps}) == len(episodes)
    for episode in episodes:
        own = [
            one for one in steps if (one["agent"], one["task"], one["condition"]) == (episode.agent, episode.task, episode.condition)
        ]  # fmt: skip
        assert own[0]["action"] is None
        assert len(own) - 1 == episode.steps
    delivered = {(one["agent"], one["task"], one["condition"]) for one in run.ledger() if one["phase"] == "delivered"}
    exposed = {(one.agent, one.task, one.condition) for one in episodes if any((one.exposed or {}).values())}
    assert delivered == exposed
    assert "naive" in run.table()
    assert max(map(len, run.table().splitlines())) <= 80


def test_grading_again_changes_nothing(run: sw.Run) -> None:
    assert run.grade() == {"changed": [], "altered": {}}


def test_a_report_is_written(run: sw.Run) -> None:
    path = run.report()
    assert path == run.path / "report.html"
    assert "stressweb report" in path.read_text("utf-8")[:4096]


def test_a_run_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="unknown run"):
        sw.open_run(tmp_path / "nothing")


def test_pandas_is_imported_only_when_it_is_asked_for(run: sw.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UserError, match=r"pip install 'stressweb\[pandas\]'"):
        run.to_pandas()
    fake = ModuleType("pandas")
    fake.__dict__["DataFrame"] = list
    monkeypatch.setitem(sys.modules, "pandas", fake)
    assert len(run.to_pandas()) == len(run.episodes())
    assert run.to_pandas("steps") == list(run.steps())
    assert {one["condition"] for one in run.to_pandas("results")} == {one.condition for one in run.episodes()}
    assert not any(isinstance(value, dict) for row in run.to_pandas() for value in row.values())
    with pytest.raises(UserError, match="not of 'pages'"):
        run.to_pandas("pages")
