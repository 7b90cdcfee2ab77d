"""A whole night: the baseline, the rerun, the sum, kills, and refused nights."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from stressweb.analysis import cusum
from stressweb.analysis.margin import margin
from stressweb.analysis.pairing import grouped
from stressweb.core.errors import UserError
from stressweb.log.recording import Cell
from stressweb.log.store import FILE
from stressweb.runner.execution.listener import Listener
from stressweb.runner.nightly.design import Design
from stressweb.runner.nightly.night import Nightly, NotComparableError, status_of
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.registry import Library
from tests.runner.nightly.synthetic_nights import SHOP, Stage, failing
from tests.support.edited_runs import edit
from tests.support.made_runs import plan_of, write_run

pytestmark = pytest.mark.sample(13, "file")


def test_unchanged_twice_and_regressed_with_an_ability_switched_off(stage: Stage) -> None:
    first, second = stage.night(), stage.night()
    assert [night.agents[0].outcome for night in (first, second)] == ["baseline", "unchanged"]
    assert (status_of(first), status_of(second)) == (0, 0)
    assert (second.agents[0].cells, second.agents[0].equal) == (3 * len(SHOP), 3 * len(SHOP))
    stage.outcome = lambda cell: cell.condition != "remap@3"
    third = stage.night(agents=("resilient(-gesture)",))
    (agent,) = third.agents
    assert (agent.outcome, agent.agent, agent.baseline) == ("regressed", "resilient(-gesture)", "resilient")
    assert status_of(third) == 1
    assert agent.robustness is not None
    assert agent.robustness.change == -0.5
    assert agent.clean is not None
    assert agent.clean.verdict == "unchanged"
    assert agent.by_condition == {"remap@3": -1.0, "failure@3": 0.0}
    assert len(agent.failing) == len(SHOP)
    assert stage.history.nights() == [first, second, third]


def test_a_baseline_has_all_tasks_on_two_stress_seeds_and_a_night_some_on_one(stage: Stage) -> None:
    stage.night(size=4)
    (_, whole, _), *_ = stage.played
    assert (whole.tasks, whole.stress) == (tuple(SHOP), (0, 1))
    nights = [stage.night(size=4) for _ in range(3)]
    plans = [plan for _, plan, _ in stage.played[1:]]
    assert [(len(plan.tasks), plan.stress) for plan in plans] == [(4, (0,))] * 3
    assert {task for plan in plans for task in plan.tasks} == set(SHOP)
    assert [night.agents[0].outcome for night in nights] == ["unchanged"] * 3
    assert [night.number for night in nights] == [1, 2, 3]


def test_a_suspicion_is_rerun_on_a_fresh_stress_seed_before_it_alarms(stage: Stage) -> None:
    """A failure only on the nights' seed is no regression; a failure on the fresh seed too is one."""
    stage.night()
    stage.outcome = failing(*SHOP, stress=0)
    night = stage.night()
    (agent,) = night.agents
    assert agent.robustness is not None
    assert agent.rerun is not None
    assert (agent.robustness.verdict, agent.rerun.robustness.verdict) == ("regressed", "unchanged")
    (_, tonight, _), (name, again, _) = stage.played[-2:]
    assert (again.tasks, again.stress, again.agents) == (tonight.tasks, (1,), tonight.agents)
    assert name == agent.rerun.run == "night-0001-rerun"
    assert (agent.outcome, status_of(night)) == ("not confirmed", 0)
    # This holds for any number of nights: the sum alone is no alarm, although it exceeds the threshold.
    for _ in range(3):
        assert stage.night().agents[0].outcome == "not confirmed"
    assert stage.history.nights()[-1].agents[0].highest_sum > cusum.THRESHOLD
    stage.outcome = failing(*SHOP[:6])
    night = stage.night()
    assert (night.agents[0].outcome, status_of(night)) == ("regressed", 1)
    assert (night.agents[0].robustness_sum, night.agents[0].clean_sum) == (0, 0)
    assert night.agents[0].highest_sum > cusum.THRESHOLD


@pytest.mark.parametrize(("families", "outcome"), [(True, "inconclusive"), (False, "regressed")])
def test_families_of_tasks_are_the_units_of_a_night(stage: Stage, families: bool, outcome: str) -> None:
    """The two largest families fail as a whole: seven of twelve tasks, but only two of six families."""
    library = Library()
    by_family = grouped(SHOP, lambda task: library.task(task).family or task)
    lost = [task for own in sorted(by_family.values(), key=len)[-2:] for task in own]
    assert (len(by_family), len(lost)) == (6, 7)
    stage.families = families
    stage.night()
    stage.outcome = failing(*lost)
    (agent,) = stage.night().agents
    assert agent.robustness is not None
    units = 6 if families else 12
    assert (agent.outcome, agent.robustness.tasks, agent.robustness.families) == (outcome, 12, units)
    assert agent.robustness.p_value == (2 / 2**2 if families else 2 / 2**7)
    assert agent.robustness.margin == margin(12, 1, 2, units)


def test_small_declines_add_up(stage: Stage) -> None:
    """Four of twelve tasks are no finding in any night alone."""
    stage.night()
    stage.outcome = failing(*SHOP[:4])
    outcomes, sums = [], [0.0]
    while "regressed" not in outcomes:
        (agent,) = stage.night().agents
        assert agent.robustness is not None
        assert agent.robustness.p_value == pytest.approx(0.125)
        outcomes.append(agent.outcome)
        sums.append(agent.highest_sum)
        assert len(outcomes) < 9
    assert outcomes[0] in ("non-inferior", "inconclusive")
    assert len(outcomes) > 2
    assert sums == sorted(sums)
    # An agent that passes again resets the sum.
    stage.outcome = lambda cell: True
    assert stage.night().agents[0].highest_sum == 0


def test_too_many_errors_are_status_3_and_leave_the_sum_alone(stage: Stage) -> None:
    stage.night()
    stage.outcome = failing(*SHOP[:4])
    before = stage.night().agents[0].robustness_sum
    stage.outcome = lambda cell: None if cell.task in SHOP[:3] else False
    night = stage.night()
    assert (night.agents[0].outcome, status_of(night)) == ("not comparable", 3)
    assert night.agents[0].robustness_sum == before > 0
    # A suspicion that cannot be checked does not pass either.
    stage.outcome = lambda cell: None if cell.stress == 1 else cell.condition == "clean"
    assert status_of(stage.night()) == 3


def test_an_error_is_retried_once(stage: Stage) -> None:
    seen: list[str] = []

    def shaky(cell: Cell) -> bool | None:
        seen.append(cell.key)
        return True if seen.count(cell.key) > 1 else None

    stage.outcome = shaky
    stage.night()
    seen.clear()
    assert stage.night().agents[0].outcome == "unchanged"
    assert [(name, resumed) for name, _, resumed in stage.played] == [
        ("baseline-0000", False), ("baseline-0000", True), ("night-0001", False), ("night-0001", True),
    ]  # fmt: skip


def test_a_broken_agent_is_seen_under_clean(stage: Stage) -> None:
    """It fails everywhere, so stress adds no failures."""
    stage.night()
    stage.outcome = lambda cell: False
    (agent,) = stage.night().agents
    assert agent.outcome == "regressed"
    assert agent.robustness is not None
    assert agent.robustness.change == 0


def test_a_night_that_was_killed_is_continued(stage: Stage) -> None:
    stage.night()
    stage.stops_after = 5
    with pytest.raises(KeyboardInterrupt):
        stage.night()
    assert len(stage.history.nights()) == 1
    stage.stops_after = None
    night = stage.night()
    assert [(name, resumed) for name, _, resumed in stage.played[-2:]] == [("night-0001", False), ("night-0001", True)]
    assert (night.run, night.agents[0].outcome) == ("night-0001", "unchanged")


def test_an_unfinished_night_of_another_agent_is_not_continued(stage: Stage) -> None:
    stage.night()
    stage.stops_after = 5
    with pytest.raises(KeyboardInterrupt):
        stage.night(agents=("resilient(-retry)",))
    stage.stops_after = None
    assert stage.night().run == "night-0001-2"


def test_an_unfinished_baseline_is_not_pinned_but_continued(stage: Stage) -> None:
    stage.outcome = lambda cell: None if cell.task in SHOP[:3] else True
    with pytest.raises(NotComparableError, match="6 of 24 blocks are not finished"):
        stage.night()
    assert (stage.history.baseline(), stage.history.nights()) == (None, [])
    stage.outcome = lambda cell: True
    assert stage.night().run == "baseline-0000"
    assert stage.played[-1][2]


def test_a_new_baseline_takes_the_place_of_the_old_one(stage: Stage) -> None:
    stage.night()
    stage.outcome = failing(*SHOP)
    assert stage.night().agents[0].outcome == "regressed"
    night = stage.night(new=True)
    assert (night.run, night.baseline, night.agents[0].outcome) == ("baseline-0002", "baseline-0002", "baseline")
    assert stage.night().agents[0].outcome == "unchanged"


def test_several_agents_are_compared_by_name_and_only_suspects_run_again(stage: Stage) -> None:
    both = ("resilient", "naive")
    stage.night(agents=both)
    stage.outcome = lambda cell: cell.agent == "resilient" or cell.condition == "clean"
    outcomes = {agent.agent: agent.outcome for agent in stage.night(agents=both).agents}
    assert outcomes == {"resilient": "unchanged", "naive": "regressed"}
    assert [str(agent) for agent in stage.played[-1][1].agents] == ["naive"]
    with pytest.raises(UserError, match="no agent in common"):
        stage.night(agents=("null", "talker"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"conditions": ("noise",)},
            r"conditions clean, noise@3 cannot be compared with the baseline, which has clean",
        ),
        ({"seed": 4}, "seed 4 cannot be compared with the baseline, which has 0"),
        ({"max_steps": 7}, "max-steps 7 cannot be compared"),
        ({"agent_seconds": 7.0}, "agent-seconds 7.0 cannot be compared with the baseline, which has none;"),
        ({"agent_tokens": 700}, "agent-tokens 700 cannot be compared with the baseline, which has none;"),
        ({"stress_seeds": (3,)}, "stress-seeds 3 cannot be compared"),
        ({"tasks": ("calendar/*",)}, "none of these tasks is in the baseline"),
    ],
)
def test_a_night_outside_the_baseline_is_refused(stage: Stage, fields: dict[str, Any], message: str) -> None:
    stage.night()
    with pytest.raises(UserError, match=message):
        stage.night(**fields)
    assert len(stage.played) == 1


def test_fewer_conditions_than_the_baseline_has_are_enough(stage: Stage) -> None:
    stage.night()
    (agent,) = stage.night(conditions=("remap",)).agents
    assert (agent.outcome, agent.cells) == ("unchanged", 2 * len(SHOP))


def nightly(stage: Stage) -> Nightly:
    return Nightly(Design(Experiment(agents=("resilient",))), stage.history, Library(), Listener(), None, stage.play)


def test_an_existing_run_is_pinned_as_a_copy(stage: Stage, tmp_path: Path) -> None:
    plan = plan_of(stress=(5, 6)).model_copy(update={"tasks": tuple(SHOP)})
    write_run(tmp_path / "runs" / "mine", plan=plan)
    with stage.history.locked():
        nightly(stage).adopt(nightly(stage).candidate("mine", tmp_path / "runs"))
    shutil.rmtree(tmp_path / "runs")
    (agent,) = stage.night(new=False).agents
    assert (agent.outcome, stage.played[-1][1].stress) == ("unchanged", (5,))
    stage.outcome = failing(*SHOP)
    assert stage.night().agents[0].outcome == "regressed"
    assert stage.played[-1][1].stress == (6,)
    assert (stage.history.runs / "mine" / FILE).stat().st_mode & 0o077 == 0


def test_an_unsuitable_run_is_not_pinned_as_baseline(stage: Stage, tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "one")
    write_run(tmp_path / "runs" / "half", plan=plan_of(stress=(0, 1)), missing=lambda cell: cell.task < "shop/task-12")
    for name, message in (("one", "has one stress seed; .* --stress-seeds 0,1"), ("half", "cannot be a baseline: ")):
        with pytest.raises(UserError, match=message):
            nightly(stage).candidate(name, tmp_path / "runs")
    assert not stage.history.folder.exists()


def test_another_run_in_the_place_of_the_baseline_is_refused(stage: Stage) -> None:
    stage.night()
    folder = stage.history.runs / "baseline-0000"
    shutil.rmtree(folder)
    with pytest.raises(UserError, match="baseline-0000 is missing; pin another run"):
        stage.night()
    write_run(folder)
    with pytest.raises(UserError, match="is not the run that was pinned on"):
        stage.night()


def test_an_edited_baseline_is_refused(stage: Stage) -> None:
    stage.night()
    edit(stage.history.runs / "baseline-0000" / FILE, "UPDATE episode SET grade = replace(grade, 'true', 'false')")
    with pytest.raises(UserError, match="was changed after it was recorded"):
        stage.night()


def test_a_cell_is_of_its_world(stage: Stage) -> None:
    """The tests' identities distinguish cells as the real ones do."""
    cells = [Cell(agent="a", task="shop/x", condition="remap@3", world=world, stress=0) for world in (0, 1)]
    assert len({key for cell in cells for key in stage.identities(None, plan_of(seed=cell.world)).values()}) > 60
