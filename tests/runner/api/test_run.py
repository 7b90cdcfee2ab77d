"""The Python API: a run that was recorded, opened and read."""

import json
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

import stressweb as sw
from perturbations.remap import Remap
from runner.agents.null import Null
from stressweb.core.errors import UserError
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.checks import Grade
from stressweb.plugins.perturbation import table
from tests.plans import meta

pytestmark = pytest.mark.sample(6, "file")

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
    assert run.grade() == {"changed": [], "altered": {}, "kept": 0}


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


def test_a_run_whose_agent_mode_and_site_are_gone_can_still_be_shown(tmp_path: Path) -> None:
    cells = [Cell(agent="ghost(-wings)", task="market/buy", condition=one, world=0) for one in ("clean", "bygone@3")]
    grade = Grade({"bought it": True}, {}, verdict=None)
    with Store.create(tmp_path / FILE, meta(cells), cells) as store:
        for cell in cells:
            steps = [StepRecord(Shown("http://market.test/", "<html><body></body></html>"))]
            store.save(EpisodeRecord(cell, "done", "done", steps=steps, grade=grade))
    run = sw.open_run(tmp_path)
    assert [(one.agent, one.condition, one.successes) for one in run.results()] == [
        ("ghost(-wings)", "clean", 1),
        ("ghost(-wings)", "bygone@3", 1),
    ]
    assert "bygone@3" in run.table()
    assert "bygone@3" in run.report().read_text("utf-8")


def test_an_experiment_runs_and_is_continued(tmp_path: Path) -> None:
    asked = {"agents": ["naive", Null], "tasks": ["shop/first-*"], "conditions": ["remap@5"]}
    run = sw.run(sw.Experiment(**asked), name="one", runs_dir=tmp_path, workers=1)
    assert run.path == tmp_path / "one"
    found = {(one.agent, one.condition): (one.successes, one.episodes) for one in run.results()}
    assert found == {
        ("naive", "clean"): (1, 1), ("naive", "remap@5"): (0, 1), ("null", "clean"): (0, 1), ("null", "remap@5"): (0, 1),
    }  # fmt: skip
    again = sw.run(sw.Experiment(**asked), name="one", runs_dir=tmp_path, resume=True)
    assert again.episodes() == run.episodes()
    with pytest.raises(UserError, match="mode differs from what run"):
        sw.run(sw.Experiment(**{**asked, "conditions": ["remap@4"]}), name="one", runs_dir=tmp_path, resume=True)
    with pytest.raises(UserError, match="exists; choose another name"):
        sw.run(sw.Experiment(**asked), name="one", runs_dir=tmp_path)
    # A task, site or mode that has changed since makes other cells: half a run of each would be no run at all.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Remap, "severities", table(share=(0.1, 0.2, 0.3, 0.4, 0.5)))
        patch.setattr("runner.registry.engine.check", lambda *_: None)
        with pytest.raises(UserError, match=r"2 of its 4 episodes have changed since, shop/first-hit\|naive\|remap@5"):
            sw.run(sw.Experiment(**asked), name="one", runs_dir=tmp_path, resume=True)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"agents": ["niave"]}, "did you mean naive"),
        ({"tasks": ["shop/nothing-of-this"]}, "unknown task"),
        ({"conditions": ["remap@9"]}, "outside 0 to 5"),
        ({"load": ["missing.py"]}, "--load missing.py"),
    ],
)
def test_a_wrong_experiment_makes_nothing(tmp_path: Path, wrong: dict[str, list[str]], said: str) -> None:
    with pytest.raises(UserError, match=said):
        sw.run(sw.Experiment(**wrong), runs_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_class_that_no_other_process_can_import_is_refused() -> None:
    class Local(Null):
        """Defined here."""

    with pytest.raises(ValueError, match="Local must be defined in a module"):
        sw.Experiment(agents=[Local])
