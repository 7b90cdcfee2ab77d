"""Success by steps, checked with SciPy's Kaplan-Meier estimate."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import CensoredData, ecdf

from stressweb.analysis.curves.steps import StepsCurve, steps_curve
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.statistics import rate_interval
from tests.stressweb.analysis.curves.small_runs import site_episode

CAP = 30


def curve(episodes: list[Graded]) -> StepsCurve:
    steps_to_success = steps_curve("naive", "clean", episodes)
    assert steps_to_success is not None
    return steps_to_success


def ended(task: int, steps: int, how: str, **changes: Any) -> Graded:
    """Return an episode that was won, lost, or capped."""
    status = "out_of_steps" if how == "capped" else "done"
    return site_episode(task, "clean", how == "won", steps=CAP if how == "capped" else steps, status=status, **changes)


def test_failures_stay_in_the_denominator() -> None:
    success_curve = curve([ended(0, 3, "won"), ended(1, 5, "lost"), ended(2, 9, "won"), ended(3, 9, "won")])
    assert (success_curve.steps, success_curve.success) == ([3, 9], [0.25, 0.75])
    assert (success_curve.capped, success_curve.known_to, success_curve.half) == (0, None, 9)
    assert [success_curve.at(steps) for steps in (2, 3, 8, 9, 1000)] == [0, 0.25, 0.25, 0.75, 0.75]


def test_beyond_a_cap_that_was_hit_success_is_unknown() -> None:
    success_curve = curve([ended(0, 3, "won"), ended(1, 0, "capped"), ended(2, CAP + 8, "won"), ended(3, 4, "lost")])
    assert (success_curve.steps, success_curve.success, success_curve.capped, success_curve.known_to) == (
        [3],
        [0.25],
        1,
        CAP,
    )
    assert (success_curve.at(CAP), success_curve.at(CAP + 1), success_curve.half) == (0.25, None, None)


def test_success_on_the_last_step_is_no_censoring() -> None:
    success_curve = curve([site_episode(0, "clean", True, steps=CAP, status="out_of_steps")])
    assert (success_curve.capped, success_curve.known_to, success_curve.at(CAP)) == (0, None, 1)


outcomes = st.lists(
    st.tuples(st.integers(1, CAP - 1), st.sampled_from(["won", "lost", "capped"])), min_size=1, max_size=25
)


@given(outcomes)
def test_it_is_kaplan_and_meiers_with_failures_that_never_succeed(ends: list[tuple[int, str]]) -> None:
    """A failure is censored at infinity: it stays at risk and never succeeds."""
    success_curve = curve([ended(task, steps, how) for task, (steps, how) in enumerate(ends)])
    won = [steps for steps, how in ends if how == "won"]
    never = [CAP if how == "capped" else 10**6 for _, how in ends if how != "won"]
    expected = ecdf(CensoredData.right_censored(won + never, [False] * len(won) + [True] * len(never)))
    for steps in range(1, CAP):
        assert success_curve.at(steps) == pytest.approx(float(expected.cdf.evaluate([steps])[0]))


@given(outcomes, st.randoms(use_true_random=False))
def test_it_rises_to_the_success_of_the_table_in_any_order(ends: list[tuple[int, str]], random: Any) -> None:
    episodes = [ended(number % 7, steps, how, epoch=number // 7) for number, (steps, how) in enumerate(ends)]
    (row,) = measure(episodes)
    success_curve = curve(episodes)
    assert success_curve.success == sorted(success_curve.success)
    assert success_curve.at(CAP) == pytest.approx(row.success)
    if success_curve.success and success_curve.tasks >= 5:
        assert success_curve.intervals[-1].these_sites == pytest.approx(row.success_interval)
    random.shuffle(episodes)
    assert curve(episodes).success == pytest.approx(success_curve.success)


def test_worlds_of_a_task_weigh_the_same() -> None:
    episodes = [ended(0, 3, "won", world_seed=0), *(ended(0, 3, "lost", world_seed=1, epoch=n) for n in range(3))]
    assert curve(episodes).success == [0.5]


def test_each_point_has_the_interval_of_a_rate() -> None:
    success_curve = curve([ended(task, 3 + task, "won") for task in range(6)])
    assert success_curve.intervals[0].these_sites == rate_interval([1.0] + [0.0] * 5)


def test_errors_are_left_out() -> None:
    assert steps_curve("naive", "clean", [site_episode(0, "clean", True, status="error")]) is None
