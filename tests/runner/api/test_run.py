"""The Python API: opening and reading a recorded run."""

import json
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest

import stressweb as sw
from stressweb.core.errors import UserError
from stressweb.log import register
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.checks import Grade
from stressweb.runner.agents.null import Null
from tests.support.plans import meta

pytestmark = pytest.mark.sample(4, "file")

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def run(tmp_path: Path) -> sw.Run:
    """A copy of the stored run."""
    folder = tmp_path / "golden"
    folder.mkdir()
    shutil.copy(GOLDEN / "run.db", folder)
    return sw.open_run(folder)


def test_recorded_episodes_steps_and_ledger_are_read(run: sw.Run) -> None:
    figures = json.loads((GOLDEN / "figures.json").read_text("utf-8"))
    episodes = run.episodes()
    outcomes = {
        (episode.task, episode.agent, episode.condition): (
            episode.status,
            episode.claim,
            episode.steps,
            episode.success,
        )
        for episode in episodes
    }
    assert outcomes == {
        tuple(key.split("|")[:3]): (figure["status"], figure["claim"], figure["steps"], figure["success"])
        for key, figure in figures.items()
    }
    for row in run.results():
        own = [episode for episode in episodes if (episode.agent, episode.condition) == (row.agent, row.condition)]
        assert (row.episodes, row.successes) == (len(own), sum(episode.success for episode in own))
    steps = list(run.steps())
    assert len({(step["agent"], step["task"], step["condition"], step["epoch"]) for step in steps}) == len(episodes)
    for episode in episodes:
        taken = [
            step
            for step in steps
            if (step["agent"], step["task"], step["condition"]) == (episode.agent, episode.task, episode.condition)
        ]
        assert taken[0]["action"] is None
        assert len(taken) - 1 == episode.steps
    delivered = {
        (entry["agent"], entry["task"], entry["condition"]) for entry in run.ledger() if entry["phase"] == "delivered"
    }
    exposed = {
        (episode.agent, episode.task, episode.condition)
        for episode in episodes
        if any((episode.exposed or {}).values())
    }
    assert delivered == exposed
    assert "naive" in run.table()
    assert max(map(len, run.table().splitlines())) <= 80


def test_grading_again_changes_nothing(run: sw.Run) -> None:
    assert run.grade() == {"changed": [], "altered": {}, "kept": 0}


def test_a_report_is_written(run: sw.Run) -> None:
    path = run.report()
    assert path == run.path / "report.html"
    assert "stressweb report" in path.read_text("utf-8")[:4096]


def test_an_unknown_run_is_reported(tmp_path: Path) -> None:
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
    assert {row["condition"] for row in run.to_pandas("results")} == {row.condition for row in run.episodes()}
    assert not any(isinstance(value, dict) for row in run.to_pandas() for value in row.values())
    with pytest.raises(UserError, match="not of 'pages'"):
        run.to_pandas("pages")  # type: ignore[arg-type]


def test_a_run_whose_agent_mode_and_site_are_gone_can_still_be_shown(tmp_path: Path) -> None:
    cells = [
        Cell(agent="ghost(-wings)", task="market/buy", condition=condition, world=0)
        for condition in ("clean", "bygone@3")
    ]
    grade = Grade({"bought it": True}, {}, verdict=None)
    with Store.create(tmp_path / FILE, meta(cells), cells) as store:
        for cell in cells:
            steps = [StepRecord(Shown("http://market.test/", "<html><body></body></html>"))]
            store.save(EpisodeRecord(cell, "done", "done", steps=steps, grade=grade))
    run = sw.open_run(tmp_path)
    assert [(row.agent, row.condition, row.successes) for row in run.results()] == [
        ("ghost(-wings)", "clean", 1),
        ("ghost(-wings)", "bygone@3", 1),
    ]
    assert "bygone@3" in run.table()
    assert "bygone@3" in run.report().read_text("utf-8")


def test_an_experiment_runs_and_is_continued(tmp_path: Path) -> None:
    experiment = {"agents": ["naive", Null], "tasks": ["shop/first-*"], "conditions": ["remap@5"]}
    run = sw.run(sw.Experiment(**experiment), name="one", runs_dir=tmp_path, workers=1)
    assert run.path == tmp_path / "one"
    counts = {(row.agent, row.condition): (row.successes, row.episodes) for row in run.results()}
    assert counts == {
        ("naive", "clean"): (1, 1), ("naive", "remap@5"): (0, 1), ("null", "clean"): (0, 1), ("null", "remap@5"): (0, 1),
    }  # fmt: skip
    again = sw.run(sw.Experiment(**experiment), name="one", runs_dir=tmp_path, resume=True)
    assert again.episodes() == run.episodes()
    with pytest.raises(UserError, match="mode differs from what run"):
        sw.run(sw.Experiment(**{**experiment, "conditions": ["remap@4"]}), name="one", runs_dir=tmp_path, resume=True)
    with pytest.raises(UserError, match="exists; choose another name"):
        sw.run(sw.Experiment(**experiment), name="one", runs_dir=tmp_path)
    # A changed task, site or mode means other cells, and a run must not mix both.
    with closing(sqlite3.connect(run.path / FILE)) as connection, connection:
        connection.execute("UPDATE cell SET identity = 'of an earlier version' WHERE key LIKE '%remap@5%'")
        register.renew_plan(connection)
    with pytest.raises(UserError, match=r"2 of its 4 episodes have changed since, shop/first-hit\|naive\|remap@5"):
        sw.run(sw.Experiment(**experiment), name="one", runs_dir=tmp_path, resume=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agents": ["niave"]}, "did you mean naive"),
        ({"tasks": ["shop/nothing-of-this"]}, "unknown task"),
        ({"conditions": ["remap@9"]}, "outside 0 to 5"),
        ({"load": ["missing.py"]}, "--load missing.py"),
    ],
)
def test_a_wrong_experiment_makes_nothing(tmp_path: Path, arguments: dict[str, list[str]], message: str) -> None:
    with pytest.raises(UserError, match=message):
        sw.run(sw.Experiment(**arguments), runs_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_class_that_no_other_process_can_import_is_refused() -> None:
    class Local(Null):
        """Defined here."""

    with pytest.raises(ValueError, match="Local must be defined in a module"):
        sw.Experiment(agents=[Local])
