"""A run whose agent and mode are no longer installed: you can read, report and grade it, but not resume it."""

from pathlib import Path
from typing import Any

import pytest

import stressweb as sw
from stressweb.core.conditions import CLEAN, Applied, Condition
from stressweb.log.ledger import Entry
from stressweb.log.plan import Plan
from stressweb.log.recording import EpisodeRecord, Shown, StepRecord
from stressweb.log.run_folder import recorded_plan
from stressweb.log.store import FILE, Store
from stressweb.runner import registry
from stressweb.runner.commands.cli import cli, guarded
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.registry.grading import Grader
from stressweb.runner.registry.identity import identities, parts
from tests.support.isolated_plugins import isolate_plugins

pytestmark = pytest.mark.sample(6, "file")

TASK = "shop/first-hit"
CONDITION = "remap@1+bygone@2(depth=inf,loud=True)"
PLUG_INS = '''
from pathlib import Path

from stressweb import Action, Agent, Observation, Perturbation, Rule, Stage, rule_words, table

class Ghost(Agent):
    "Does nothing."
    name = "ghost"
    def __init__(self, *, wings: bool = True, lives: int = 1) -> None:
        "Take the options."
    def act(self, observation: Observation) -> Action:
        return Action(kind="DONE")

class BygoneRule(Rule):
    script = Path(__file__).with_name("bygone.js")

class Bygone(Perturbation):
    """Disturbs nothing."""
    mode = "bygone"
    stage = Stage.PERCEPTION
    severities = table(depth=(1, 2, 3, 4, 5))
    depth: float = 1
    loud: bool = False
    def rule(self, seeds) -> BygoneRule:
        "Return the rule of the script."
        return BygoneRule(mode=self.mode, rule=rule_words(seeds, self.mode))
'''


@pytest.fixture
def old_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Plan]:
    """Folder and plan of a run with plug-ins that are no longer installed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plug_ins.py").write_text(PLUG_INS)
    (tmp_path / "bygone.js").write_text("() => {}\n")
    folder, library = tmp_path / "runs" / "old", registry.Library()
    with pytest.MonkeyPatch.context() as installed:
        isolate_plugins(installed)
        experiment = {"agents": ["ghost(-wings,lives=9)", "naive"], "tasks": [TASK], "conditions": [CONDITION]}
        plan = Experiment(**experiment, load=["plug_ins.py"]).plan()
        meta = {"plan": plan.model_dump(), "parts": {**parts(library, plan), f"checks {TASK}": "other"}}
        with Store.create(folder / FILE, meta, plan.cells(), identities(library, plan)) as store:
            for cell in plan.cells():
                steps = [StepRecord(Shown("http://shop.test/", "<html><body>Shop</body></html>"))]
                ledger = [Entry(step=0, mode="bygone", phase="delivered")] if cell.condition == CONDITION else []
                record = EpisodeRecord(cell, "done", "done", steps=steps, ledger=ledger)
                record.grade = Grader(library).grade(record)
                store.save(record)
    return folder, plan


def test_its_plan_is_read_unchanged(old_run: tuple[Path, Plan]) -> None:
    folder, plan = old_run
    with Store.read(folder / FILE) as store:
        assert recorded_plan(store) == plan
    (ghost, _), (_, bygone) = plan.agents, plan.conditions
    assert (ghost.options, ghost.deterministic) == ((("wings", False), ("lives", 9)), False)
    assert (bygone.label, bygone.modes) == (CONDITION, ("remap", "bygone"))
    assert "bygone" not in registry.MODES.names()
    assert "ghost" not in registry.AGENTS.names()


def test_it_is_printed_and_reported(old_run: tuple[Path, Plan]) -> None:
    run = sw.open_run(old_run[0])
    exposed = {(episode.agent, episode.condition): episode.exposed for episode in run.episodes()}
    assert exposed == {
        ("ghost(-wings,lives=9)", "clean"): None,
        ("ghost(-wings,lives=9)", CONDITION): {"remap": False, "bygone": True},
        ("naive", "clean"): None,
        ("naive", CONDITION): {"remap": False, "bygone": True},
    }
    assert "Episodes exposed to each mode" in run.table(width=200)
    assert CONDITION in run.report().read_text("utf-8")


@pytest.mark.parametrize("command", ["grade old", "report old", "grade old --json", "grade old --explain"])
def test_commands_read_it(command: str, old_run: tuple[Path, Plan], capfd: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: cli.main(command.split(), standalone_mode=False)) == 0
    out, err = capfd.readouterr()
    assert "old" in out
    # The message about the task does not depend on the modes of the episode.
    changed = f"graded with today's checks; task {TASK} has changed since the run: its checks\n"
    opening = f"open it in your browser: {Path('runs/old/report.html').resolve().as_uri()} (--open does this for you)\n"
    assert err == {"grade": changed, "report": opening}.get(command.partition(" ")[0], "")


def test_it_is_not_resumed(old_run: tuple[Path, Plan], capfd: pytest.CaptureFixture[str]) -> None:
    before = (old_run[0] / FILE).read_bytes()
    assert guarded(lambda: cli.main(["run", "--resume", "--run", "old"], standalone_mode=False)) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("stressweb: unknown agent 'ghost'; ")
    assert (old_run[0] / FILE).read_bytes() == before


@pytest.mark.parametrize("wrong", [{"name": "model"}, {"options": (("lives", 2),)}, {"deterministic": False}])
def test_a_different_agent_of_the_same_name_is_not_resumed(old_run: tuple[Path, Plan], wrong: dict[str, Any]) -> None:
    """A run from elsewhere must not call a model under the name of an agent without one."""
    naive = old_run[1].agents[1]
    registry.check_recorded([naive], [CLEAN])
    with pytest.raises(sw.UserError, match="agent 'naive' has changed since the run was recorded; start a new run"):
        registry.check_recorded([naive.model_copy(update=wrong)], [CLEAN])


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (Condition((Applied("bygone", 2),)), "unknown mode 'bygone@2'"),
        (Condition((Applied("remap", 9),)), "severity 9 of mode 'remap' is outside 0 to 5"),
        (Condition((Applied("remap", 3, (("share", 2.0),)),)), "parameter 'share' of mode remap@3"),
        (Condition((Applied("remap"),), sham=True), "condition 'remap@3' has changed since the run was recorded"),
        (Condition((Applied("failure"), Applied("remap"))), "condition 'failure@3.remap@3' has changed"),
    ],
)
def test_a_condition_that_is_no_longer_valid_is_not_resumed(condition: Condition, message: str) -> None:
    with pytest.raises(sw.UserError, match=message):
        registry.check_recorded([], [condition])
