"""In simulations, intervals and bands of curves have their coverage, and their tests their error rate."""

from functools import cache
from statistics import fmean

import numpy as np
import pytest

from scripts.curve_simulator import (
    CLEANS,
    DESIGNS,
    FIGURES,
    LEVEL,
    RUNS,
    SEVERITIES,
    SHAPES,
    Coverage,
    Design,
    Scenario,
    bootstrap,
    draw,
    scenarios,
    simulate,
    truth,
)
from stressweb.analysis.curves.dose import band
from stressweb.analysis.curves.joint import Joint
from stressweb.analysis.curves.tolerance import tolerance
from stressweb.analysis.curves.trend import finds_trend
from stressweb.analysis.statistics import ALPHA
from tests.stressweb.analysis.curves.small_runs import curves, site_episode

NONE, EVEN, STEEP = SHAPES
SAMPLE = [
    Scenario(Design(2, 12, 1), CLEANS[0], "whole", STEEP),
    Scenario(Design(2, 30, 3), CLEANS[1], "partial", EVEN),
    Scenario(Design(2, 30, 1), CLEANS[0], "whole", NONE),
    Scenario(Design(2, 30, 1), CLEANS[0], "partial", LEVEL),
    Scenario(Design(5, 60, 1), CLEANS[0], "partial", EVEN),
    Scenario(Design(10, 150, 1), CLEANS[1], "whole", STEEP),
]
FEW = 150
"""Runs of a scenario in every test run: the coverage is known to about 4 points."""


def _name(scenario: Scenario) -> str:
    return f"{scenario.design.sites}-{scenario.design.tasks}x{scenario.design.repeats}-{scenario.effect}-{scenario.shape.name}"


@pytest.mark.parametrize("scenario", SAMPLE, ids=_name)
def test_intervals_cover_and_tests_keep_their_error_rate(scenario: Scenario) -> None:
    simulation = simulate(scenario, FEW)
    assert {"band", "mean difference", "tolerance", "interaction"} <= simulation.covered.keys()
    for figure, covered in simulation.covered.items():
        assert covered >= 0.93 - 4 * np.sqrt(0.93 * 0.07 / FEW), figure
    for test, alarmed in simulation.alarms.items():
        assert alarmed <= ALPHA + 4 * np.sqrt(ALPHA * (1 - ALPHA) / FEW), test


@cache
def whole_table() -> dict[Scenario, Coverage]:
    return {scenario: simulate(scenario, RUNS) for scenario in scenarios(DESIGNS)}


@pytest.mark.audit
@pytest.mark.timeout(7200)
def test_intervals_cover_in_every_scenario() -> None:
    """93 % or more in each, and at most 99.5 % on average with 30 tasks or more."""
    error = 3 * np.sqrt(0.93 * 0.07 / RUNS)
    for figure in FIGURES:
        if figure == "bootstrap tolerance":
            continue
        coverage = {
            scenario: simulation.covered[figure]
            for scenario, simulation in whole_table().items()
            if figure in simulation.covered
        }
        assert {scenario: covered for scenario, covered in coverage.items() if covered < 0.93 - error} == {}
        large = [
            covered for scenario, covered in coverage.items() if scenario.design.tasks >= 30 and scenario.shape != NONE
        ]
        assert fmean(large) <= 0.995, figure


@pytest.mark.audit
@pytest.mark.timeout(7200)
def test_tests_keep_their_error_rate_in_every_scenario() -> None:
    allowed = ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / RUNS)
    alarms = {
        (scenario, test): rate
        for scenario, simulation in whole_table().items()
        for test, rate in simulation.alarms.items()
    }
    assert {test for _, test in alarms} == {"trend", "interaction"}
    assert {case: rate for case, rate in alarms.items() if rate > allowed} == {}


def test_a_real_trend_is_found() -> None:
    """A test that never rejects would keep its error rate, too."""
    generator = np.random.default_rng(2)
    joints = [draw(SAMPLE[0]._replace(design=Design(2, 30, 1)), generator)[0] for _ in range(20)]
    assert all(finds_trend(joint.stressed[:, ::-1]) for joint in joints)


def test_the_rejected_bootstrap_has_no_width_where_tasks_agree() -> None:
    """For 12 tasks without a loss its lower end is "> 5", as if no other task could fail."""
    joint, _ = draw(Scenario(Design(2, 12, 1), (1 - 1e-9, 1e9), "whole", NONE), np.random.default_rng(1))
    assert str(bootstrap(joint, np.random.default_rng(1)).low) == "> 5"
    chosen = tolerance(joint, SEVERITIES)
    assert chosen is not None
    assert chosen.these_sites is not None
    assert str(chosen.these_sites.low) == "< 1"


@pytest.mark.parametrize("scenario", [SAMPLE[0], SAMPLE[4]], ids=_name)
def test_a_simulated_run_has_the_figures_of_its_episodes(scenario: Scenario) -> None:
    """The simulator averages on its own, for speed; `curves` must give the same figures."""
    joint, _ = draw(scenario, np.random.default_rng(5))
    # Sorted by site, as `curves` sorts tasks.
    order = np.argsort(joint.where, kind="stable")
    joint = Joint(joint.where[order], joint.clean[order], joint.stressed[order])
    episodes = []
    for task in range(joint.tasks):
        site = int(joint.where[task])
        columns = {"clean": joint.clean[task, 0], **{f"remap@{s}": joint.stressed[task, s - 1] for s in SEVERITIES}}
        episodes += [site_episode(1000 + task, label, bool(won), site) for label, won in columns.items()]
    (response,) = curves(episodes).dose_responses
    assert response.tolerance == tolerance(joint, SEVERITIES)
    for point, expected in zip(response.points, band(joint), strict=True):
        assert point.band.these_sites == pytest.approx(expected.these_sites)
        assert (point.band.new_sites is None) == (expected.new_sites is None)


@pytest.mark.parametrize("scenario", [SAMPLE[0], SAMPLE[1]], ids=_name)
def test_the_true_values_are_the_limits_for_many_tasks(scenario: Scenario) -> None:
    joint, interactions = draw(scenario._replace(design=Design(2, 40_000, 1)), np.random.default_rng(1))
    true = truth(scenario)
    assert joint.differences.mean(axis=0) == pytest.approx(true.differences, abs=0.012)
    assert float(interactions.mean()) == pytest.approx(true.interaction, abs=0.015)
