"""In simulated runs, intervals have their coverage and tests their error rate."""

from functools import cache
from statistics import fmean

import numpy as np
import pytest

from scripts.simulator import (
    FIGURES,
    HIDING,
    POPULATIONS,
    RUNS,
    Coverage,
    Population,
    Scenario,
    alarms,
    draws,
    hiding,
    intervals,
    scenarios,
    simulate,
    truth,
)
from stressweb.analysis.measures import measure
from stressweb.analysis.statistics import ALPHA
from tests.support.graded_episodes import episode

HIDDEN = [
    Scenario(POPULATIONS[2], 30, 1, 0.15, HIDING, "failures"),
    Scenario(POPULATIONS[1], 30, 5, 0.30, HIDING, "successes"),
    Scenario(POPULATIONS[0], 12, 3, 0.0, HIDING, "failures"),
]
SAMPLE = [
    Scenario(POPULATIONS[0], 12, 1, 0.30, 0.12),
    Scenario(POPULATIONS[0], 30, 5, 0.30, 0.0),
    Scenario(POPULATIONS[1], 30, 3, 0.05, 0.12),
    Scenario(POPULATIONS[1], 30, 1, 0.0, 0.0),
    Scenario(POPULATIONS[2], 12, 5, 0.15, 0.12),
    Scenario(POPULATIONS[2], 5, 3, 0.15, 0.0),
]
FEW = 500
"""Runs of a scenario in every test run: the coverage is known to about 2 points."""


def _name(scenario: Scenario) -> str:
    return f"{scenario.population.effect}-{scenario.tasks}x{scenario.repeats}-{scenario.loss}-{scenario.errors}"


@pytest.mark.parametrize("scenario", SAMPLE, ids=_name)
def test_intervals_cover(scenario: Scenario) -> None:
    for figure, covered in simulate(scenario, FEW).covered.items():
        # Four standard errors below 93 %: once in ten thousand runs by chance.
        assert covered >= 0.93 - 4 * np.sqrt(0.93 * 0.07 / FEW), figure


@pytest.mark.parametrize("scenario", HIDDEN, ids=_name)
def test_intervals_cover_what_errors_hide(scenario: Scenario) -> None:
    """If these errors were ignored, the coverage of a figure would be below 88 %."""
    simulation = simulate(scenario, FEW)
    for figure, covered in simulation.covered.items():
        assert covered >= 0.93 - 4 * np.sqrt(0.93 * 0.07 / FEW), figure
    if scenario.loss:
        assert min(simulate(scenario, FEW, ignoring=True).covered.values()) < 0.88


@pytest.mark.parametrize("population", POPULATIONS[:2], ids=lambda population: population.effect)
def test_tests_keep_their_error_rate(population: Population) -> None:
    rates = alarms(Scenario(population, 30, 5, 0.0, 0.12), 200)
    assert max(rates) <= ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / 200)


@cache
def whole_table() -> dict[Scenario, Coverage]:
    return {scenario: simulate(scenario, RUNS) for scenario in scenarios()}


@pytest.mark.audit
@pytest.mark.timeout(3600)
def test_intervals_cover_in_every_scenario() -> None:
    """93 % or more in each, 99 % at most on average, with the sampling error of 2,000 runs."""
    error = 3 * np.sqrt(0.93 * 0.07 / RUNS)
    for figure in FIGURES:
        coverage = {
            scenario: simulation.covered[figure]
            for scenario, simulation in whole_table().items()
            if figure in simulation.covered
        }
        assert {scenario: covered for scenario, covered in coverage.items() if covered < 0.93 - error} == {}
        # Errors widen the intervals beyond the width for chance alone.
        assert fmean(covered for scenario, covered in coverage.items() if not scenario.errors) <= 0.99, figure


@pytest.mark.audit
@pytest.mark.timeout(3600)
def test_intervals_cover_in_every_scenario_in_which_errors_depend_on_the_outcome() -> None:
    error = 3 * np.sqrt(0.93 * 0.07 / RUNS)
    for scenario in hiding():
        coverage = simulate(scenario, RUNS).covered
        assert {figure: covered for figure, covered in coverage.items() if covered < 0.93 - error} == {}, scenario


@pytest.mark.audit
@pytest.mark.timeout(3600)
def test_tests_keep_their_error_rate_in_every_scenario() -> None:
    nulls = [scenario for scenario in scenarios() if scenario.loss == 0]
    allowed = ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / RUNS)
    assert {scenario: rates for scenario in nulls if max(rates := alarms(scenario, RUNS)) > allowed} == {}


@pytest.mark.parametrize("scenario", [*SAMPLE, *HIDDEN], ids=_name)
def test_a_simulated_run_has_the_intervals_that_a_table_of_it_would_show(scenario: Scenario) -> None:
    """The simulator averages on its own, for speed; `measure` must give the same figures."""
    generator = np.random.default_rng(5)
    for arms in draws(scenario, generator, 3):
        episodes = []
        for label, outcomes in (("clean", arms.clean), ("remap@3", arms.stressed)):
            for task, epoch in np.ndindex(outcomes.shape):
                error = bool(np.isnan(outcomes[task, epoch]))
                claims = label == "clean" or arms.claims[task, epoch] == 1
                changes = {"status": "error" if error else "done", "claim": "done" if claims else "failed"}
                success = not error and outcomes[task, epoch] == 1
                # A number that sorts the same as text.
                episodes.append(episode(int(task) + 1000, label, success, epoch=int(epoch), **changes))
        row = next(row for row in measure(episodes) if row.condition == "remap@3")
        by_figure = intervals(arms)
        assert by_figure["difference"] == pytest.approx(row.difference_interval)
        assert by_figure["retention"] == pytest.approx(row.retention_interval)
        if by_figure["success"] is not None:
            assert by_figure["success"] == pytest.approx(row.success_interval)
        if by_figure["false success"] is not None:
            assert by_figure["false success"] == pytest.approx(row.false_success_interval)


@pytest.mark.parametrize("scenario", SAMPLE, ids=_name)
def test_the_true_values_are_the_limits_for_many_tasks(scenario: Scenario) -> None:
    (arms,) = draws(scenario._replace(tasks=60_000, repeats=1, errors=0.0), np.random.default_rng(1), 1)
    true = truth(scenario._replace(tasks=60_000))
    clean, stressed, claims = (float(arm.mean()) for arm in arms)
    false = float((arms.claims * (1 - arms.stressed)).mean())
    assert stressed - clean == pytest.approx(true["difference"], abs=0.01)
    assert stressed == pytest.approx(true["success"], abs=0.01)
    assert stressed / clean == pytest.approx(true["retention"], abs=0.015)
    assert false / claims == pytest.approx(true["false success"], abs=0.015)
