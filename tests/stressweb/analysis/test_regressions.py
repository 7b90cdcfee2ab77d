"""Open regressions: conditions to close them, and the rate of wrong closures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.nightly_simulator import Agent, simulate
from scripts.simulator import POPULATIONS
from stressweb.analysis import cusum
from stressweb.analysis.regressions import Evidence, Regression, RegressionState

TASKS = ("shop/a", "shop/b")
ALARMED = RegressionState(open={"robustness": Regression(since=4, families=30)})
GOOD = Evidence((0.0, 0.0), (30, 30), TASKS)


def nights_to_close(state: RegressionState, night: Evidence, most: int = 200) -> int | None:
    """Return the number of equal nights that close the regression."""
    for number in range(1, most + 1):
        state = state.after_run(night)
        if state.needs_rerun(night):
            state = state.after_rerun(night, number, ()).state
        if not state.open:
            return number
    return None


def test_several_nights_as_good_as_the_baseline_close_it() -> None:
    assert nights_to_close(ALARMED, GOOD) == 4


@given(st.floats(-8, 8))
def test_no_single_night_closes_it(score: float) -> None:
    nights = nights_to_close(ALARMED, Evidence((score, 0.0), (30, 30), TASKS))
    assert nights is None or nights >= 2


@given(st.floats(-8, -cusum.LASTING))
def test_a_decline_that_lasts_stays_open(score: float) -> None:
    assert nights_to_close(ALARMED, Evidence((score, 0.0), (30, 30), TASKS)) is None


def test_the_other_line_does_not_close_it() -> None:
    assert nights_to_close(ALARMED, Evidence((-2.0, 3.0), (30, 30), TASKS)) is None


@pytest.mark.parametrize(("families", "least"), [(30, 4), (8, 10), (1, 60)])
def test_fewer_tasks_take_more_nights_to_close_it(families: int, least: int) -> None:
    nights = nights_to_close(ALARMED, Evidence((0.0, 0.0), (families, families), TASKS))
    assert nights is not None
    assert nights >= least


def test_the_tasks_that_failed_must_have_run_again() -> None:
    lost = Regression(since=4, families=30, tasks=("shop/x", "shop/y"), unseen=("shop/x", "shop/y"))
    state = RegressionState(open={"robustness": lost})
    assert nights_to_close(state, GOOD) is None
    assert nights_to_close(state, GOOD._replace(tasks=("shop/x", "shop/y"))) == 4


@pytest.mark.parametrize(("left_out", "gone"), [((), False), (("shop/x",), True), (("shop/x", "shop/y"), False)])
def test_removed_tasks_are_not_waited_for_while_half_are_left(left_out: tuple[str, ...], gone: bool) -> None:
    regression = Regression(since=4, families=30, tasks=("shop/x", "shop/y"), unseen=("shop/x",), recovery=9)
    assert regression.looks_gone(left_out) == gone


def test_a_rerun_that_falls_short_leaves_it_open_and_asks_for_no_rerun_every_night() -> None:
    state = ALARMED
    for _ in range(4):
        state = state.after_run(GOOD)
    assert state.needs_rerun(GOOD)
    judged = state.after_rerun(Evidence((-3.0, 0.0), (30, 30), TASKS), 9, ())
    assert (judged.closed, judged.opened) == ({}, ())
    assert judged.state.open["robustness"].recovery < cusum.RECOVERED


def test_an_alarm_opens_the_line_that_fell_short() -> None:
    bad = Evidence((-3.0, 0.0), (30, 20), TASKS)
    state = RegressionState().after_run(bad)
    assert state.needs_rerun(bad)
    judged = state.after_rerun(bad, 7, ["shop/x"])
    assert judged.opened == ("robustness",)
    assert judged.state.open == {"robustness": Regression(since=7, families=30, tasks=("shop/x",), unseen=("shop/x",))}
    assert judged.state.chart_totals == (0.0, 0.0)
    # The other line may regress later, while this one is open.
    worse = Evidence((-3.0, -3.0), (30, 20), TASKS)
    after = judged.state.after_run(worse)
    assert after.needs_rerun(worse)
    both = after.after_rerun(worse, 8, ())
    assert {line: regression.since for line, regression in both.state.open.items()} == {"robustness": 7, "clean": 8}


def test_a_lasting_decline_stays_red_and_a_repair_closes_it() -> None:
    """For common numbers of tasks, with the sampling error of 30 baselines."""
    simulation = simulate(Agent(POPULATIONS[0], 0.2), 30)
    assert simulation.closed <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 30)
    assert simulation.green <= 0.05
    assert simulation.recovered[14] >= 0.6
    assert simulation.recovered[7] <= simulation.recovered[14] <= simulation.recovered[30]


@pytest.mark.audit
@pytest.mark.timeout(3600)
def test_lasting_declines_of_every_population_stay_red() -> None:
    """At most 5 % of 20 points are closed within 90 nights, and at most 10 % of an unchanged agent's nights are red."""
    baselines = 200
    for population in POPULATIONS:
        lasting, unchanged = (simulate(Agent(population, decline), baselines) for decline in (0.2, 0.0))
        assert lasting.closed <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / baselines), population.name
        assert lasting.green <= 0.02, population.name
        assert unchanged.open_nights <= 0.10 + 0.05, population.name
