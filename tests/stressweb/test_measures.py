"""Measures on small runs whose figures can be counted by hand."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stressweb.actions import Action
from stressweb.graded import Graded, Row, Verdicts, measure, paired, repetitions
from stressweb.statistics import Interval, wilson


def episode(task: int = 0, condition: str = "clean", success: bool = True, **changes: Any) -> Graded:
    """Return an episode of one of many tasks, successful unless told otherwise."""
    values: dict[str, Any] = {
        "agent": "naive", "task": f"shop/task-{task}", "site": "shop", "condition": condition, "world_seed": 0,
        "stress_seed": 0, "epoch": 0, "status": "done", "claim": "done", "success": success,
        "checkpoints_passed": 4 if success else 1, "checkpoints_total": 4, "harmed": False, "steps": 7,
        "exposed": None if condition == "clean" else {"remap": True}, "bypasses": 0, "seconds": 1.5,
    }  # fmt: skip
    return Graded(**{**values, **changes})


def rows(episodes: list[Graded]) -> dict[tuple[str, str], Row]:
    return {(row.agent, row.condition): row for row in measure(episodes)}


def stressed(outcomes: dict[int, bool], **changes: Any) -> list[Graded]:
    """Return a clean success and one episode under remap per task."""
    both = ((episode(task), episode(task, "remap@3", ok, **changes)) for task, ok in outcomes.items())
    return [one for pair in both for one in pair]


def test_the_house_example() -> None:
    """One of twelve tasks survives: 1/12, minus 92 [-100, -75], exact McNemar of 11 against 0."""
    row = rows(stressed({task: task == 0 for task in range(12)}))["naive", "remap@3"]
    assert (row.successes, row.episodes, row.tasks, row.paired_tasks) == (1, 12, 12, 12)
    assert row.success_interval == wilson(1, 12)
    assert row.difference == pytest.approx(-11 / 12)
    assert row.difference_interval == Interval(-1.0, -0.75)
    assert row.p_value == pytest.approx(stats.binomtest(11, 11).pvalue)
    assert row.retention == pytest.approx(1 / 12)
    assert (row.claimed, row.claim_ratio) == (12, 12)
    assert row.false_success == pytest.approx(11 / 12)
    assert row.false_success_interval == wilson(11, 12)
    assert (row.exposed, row.exposable, row.errors) == (12, 12, 0)


def test_clean_is_compared_with_nothing_and_comes_first() -> None:
    episodes = stressed({0: True, 1: False})[::-1]
    measured = measure(episodes)
    assert [row.condition for row in measured] == ["clean", "remap@3"]
    clean = measured[0]
    assert (clean.difference, clean.difference_interval, clean.p_value, clean.retention) == (None, None, None, None)
    assert (clean.exposed, clean.exposable) == (0, 0)


def test_without_a_clean_arm_there_is_no_difference() -> None:
    (row,) = measure([episode(0, "remap@3")])
    assert (row.paired_tasks, row.difference, row.p_value, row.retention) == (0, None, None, None)
    assert row.success == 1


@pytest.mark.parametrize("spoilt", ["clean", "remap@3"])
def test_an_error_leaves_both_sides_of_its_pair(spoilt: str) -> None:
    """The other arm's repeat of the same seed would otherwise weigh the task by what only one arm saw."""
    episodes = [
        episode(
            0, condition, success=not (condition == "remap@3" and seed == 1), stress_seed=seed,
            status="error" if (condition, seed) == (spoilt, 0) else "done",
        )
        for condition, seed in product(("clean", "remap@3"), (0, 1))
    ]  # fmt: skip
    (pair,) = paired(episodes[:2], episodes[2:])
    assert (pair.clean.success, pair.stressed.success) == (1, 0)
    row = rows(episodes)["naive", "remap@3"]
    assert row.difference == -1
    assert row.errors == (spoilt == "remap@3")


def test_an_error_is_counted_and_changes_no_rate() -> None:
    without = rows(stressed({0: True, 1: False}))["naive", "remap@3"]
    broken = [episode(2), episode(2, "remap@3", success=False, status="error", bypasses=3, harm_ok=False, repeats=5)]
    having = rows(stressed({0: True, 1: False}) + broken)["naive", "remap@3"]
    assert having.errors == 1
    assert having.model_copy(update={"errors": 0}) == without


def test_a_task_of_errors_alone_is_no_task() -> None:
    row = rows([episode(0), episode(0, "remap@3", status="error")])["naive", "remap@3"]
    assert (row.tasks, row.episodes, row.errors, row.paired_tasks) == (0, 0, 1, 0)
    assert (row.success, row.steps, row.checkpoints, row.checkpoints_pooled) == (None, None, None, None)
    assert row.success_interval == Interval(0, 1)


def test_repeats_are_averaged_before_tasks_are_paired() -> None:
    """A task with nine repeats weighs no more than one with a single repeat."""
    many = [episode(0, c, c == "clean", stress_seed=seed) for c in ("clean", "remap@3") for seed in range(9)]
    row = rows(many + stressed({1: True}))["naive", "remap@3"]
    assert row.difference == -0.5
    assert (row.successes, row.episodes, row.tasks) == (1, 10, 2)


def test_clean_run_once_pairs_with_every_stress_seed() -> None:
    episodes = [episode(0), *(episode(0, "remap@3", seed == 0, stress_seed=seed) for seed in range(4))]
    assert rows(episodes)["naive", "remap@3"].difference == -0.75


def test_worlds_are_paired_with_themselves() -> None:
    """World 1 was finished under remap alone, as in a run that was cut off: it must not count against clean."""
    episodes = [episode(0), episode(0, "remap@3"), episode(0, "remap@3", success=False, world_seed=1)]
    assert rows(episodes)["naive", "remap@3"].difference == 0


def test_two_checkpoint_rates() -> None:
    episodes = [
        episode(0, checkpoints_passed=2, checkpoints_total=2),
        episode(1, checkpoints_passed=2, checkpoints_total=8, success=False),
    ]
    (row,) = measure(episodes)
    assert row.checkpoints == pytest.approx((1 + 0.25) / 2)
    assert row.checkpoints_pooled == pytest.approx(4 / 10)


def test_claims_are_three_classes() -> None:
    cases = [("done", True), ("done", False), ("done", False), ("failed", True), ("failed", False), ("none", False)]
    (row,) = measure([episode(task, success=ok, claim=claim) for task, (claim, ok) in enumerate(cases)])
    assert row.claims == {
        "done": Verdicts(passed=1, failed=2),
        "failed": Verdicts(passed=1, failed=1),
        "none": Verdicts(passed=0, failed=1),
    }
    assert (row.claimed, row.successes, row.claim_ratio) == (3, 2, 1.5)
    assert row.false_success == pytest.approx(2 / 3)


def test_no_claim_has_no_false_success_rate() -> None:
    (row,) = measure([episode(claim="failed", success=False)])
    assert (row.claim_ratio, row.false_success, row.false_success_interval) == (None, None, None)


def test_unexposed_cells_count_in_success_and_show() -> None:
    row = rows([episode(0), episode(0, "remap@3", exposed=False), *stressed({1: False})])["naive", "remap@3"]
    assert (row.exposed, row.exposable, row.success) == (1, 2, 0.5)


def test_harm_bypasses_repeats_and_extra_steps() -> None:
    episodes = [episode(0), episode(0, "remap@3", steps=10, harm_ok=False, bypasses=2, repeats=4, longest_repeat=3)]
    row = rows(episodes)["naive", "remap@3"]
    assert (row.harmed, row.bypasses, row.extra_steps) == (1, 2, 3)
    assert (row.repeating, row.repeats, row.longest_repeat) == (1, 4, 3)


def test_holm_spans_the_conditions_of_one_agent() -> None:
    episodes = [episode(task, agent=agent) for task in range(8) for agent in ("naive", "other")]
    episodes += [
        episode(task, "remap@3", success=False, agent=agent) for task in range(8) for agent in ("naive", "other")
    ]
    episodes += [episode(task, "failure@3", success=task > 0) for task in range(8)]
    found = rows(episodes)
    assert found["naive", "remap@3"].p_value == pytest.approx(2 / 256)
    assert found["naive", "remap@3"].p_holm == pytest.approx(4 / 256)
    assert found["naive", "failure@3"].p_holm == 1
    assert found["other", "remap@3"].p_holm == found["other", "remap@3"].p_value
    assert found["naive", "clean"].p_holm is None


@given(st.permutations(stressed({task: task % 3 == 0 for task in range(5)}, stress_seed=1, steps=9)))
def test_order_of_episodes_changes_nothing(episodes: list[Graded]) -> None:
    expected = measure(stressed({task: task % 3 == 0 for task in range(5)}, stress_seed=1, steps=9))
    assert measure(episodes) == expected


def test_same_task_name_on_two_sites_is_two_tasks() -> None:
    assert measure([episode(0), episode(0, site="mail")])[0].tasks == 2


def test_repetitions() -> None:
    a, b = Action(kind="CLICK", selector="a"), Action(kind="CLICK", selector="b")
    again = a.model_copy(update={"reasoning": "once more"})
    assert repetitions([]) == (0, 0)
    assert repetitions([a, b, a, b]) == (0, 0)
    assert repetitions([a, again, a, b, b, a]) == (3, 2)
