"""The stated power of a run is that of simulated runs with the same test."""

import math

import numpy as np
import pytest
from scipy import stats

from stressweb.analysis.power import (
    detectable_loss,
    exact_power,
    minimum_detectable_effect,
    noncentrality,
    plan_lines,
    tasks_needed,
)
from stressweb.analysis.statistics import sign_flip


def test_many_tasks_agree_with_miller() -> None:
    """Miller's worked example: 969 tasks find 3 points where the variance between tasks is 1/9; t needs 2 more."""
    assert minimum_detectable_effect(971, 1 / 9) <= 0.03 < minimum_detectable_effect(968, 1 / 9)


@pytest.mark.parametrize("tasks", [6, 12, 30, 200])
def test_the_effect_has_the_power_of_the_exact_t_test(tasks: int) -> None:
    """At 12 tasks the normal distribution gives 0.73 of the effect that t needs."""
    shift = noncentrality(tasks)
    generator = np.random.default_rng(tasks)
    runs = generator.normal(shift / math.sqrt(tasks), 1.0, (20_000, tasks))
    rejected = stats.ttest_1samp(runs, 0.0, axis=1).pvalue <= 0.05
    assert rejected.mean() == pytest.approx(0.8, abs=0.012)


@pytest.mark.sample(2)
@pytest.mark.parametrize(("tasks", "repeats"), [(12, 5), (20, 2), (30, 1), (30, 2), (30, 3), (100, 1)])
def test_a_plan_finds_its_loss_as_often_as_it_says(tasks: int, repeats: int) -> None:
    """With the sign-flip test, on tasks as assumed."""
    loss, runs = detectable_loss(tasks, repeats), 600
    generator = np.random.default_rng(7)
    rejections = 0
    for _ in range(runs):
        rates = generator.beta(0.5, 0.5, tasks)
        left = rates * (generator.random(tasks) >= loss / 0.5)
        means = [generator.binomial(repeats, arm) / repeats for arm in (left, rates)]
        rejections += sign_flip((means[0] - means[1]).tolist()) <= 0.05
    # Four standard errors at 600 runs, and the steps of the test.
    assert 0.72 < rejections / runs < 0.88


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 6])
@pytest.mark.parametrize("tasks", [12, 25])
def test_the_power_of_one_repeat_is_exact(tasks: int, alpha: float) -> None:
    """By brute force over all counts of tasks lost and gained."""
    lost, gained, power = 0.35, 0.1, 0.0
    for down in range(tasks + 1):
        for up in range(tasks + 1 - down):
            if down + up and stats.binomtest(down, down + up).pvalue <= alpha:
                power += stats.multinomial.pmf([down, up, tasks - down - up], tasks, [lost, gained, 1 - lost - gained])
    assert exact_power(tasks, lost, gained, alpha) == pytest.approx(power, abs=1e-9)


def test_a_plan_that_cannot_reject_finds_nothing() -> None:
    assert detectable_loss(5, 100) == detectable_loss(6, 3, 6) == minimum_detectable_effect(0, 1.0) == math.inf
    assert "cannot detect even a loss of 50 points" in "\n".join(plan_lines(5, 1, 1))


@pytest.mark.parametrize("repeats", [1, 3, 5])
@pytest.mark.parametrize("loss", [0.05, 0.10, 0.15])
def test_the_tasks_needed_are_just_enough(loss: float, repeats: int) -> None:
    tasks = tasks_needed(loss, repeats)
    assert detectable_loss(tasks, repeats) <= loss < detectable_loss(int(0.93 * tasks), repeats)
    assert tasks <= tasks_needed(loss, repeats, 6)


def test_a_plan_states_its_power_the_tasks_needed_and_its_assumption() -> None:
    text = "\n".join(plan_lines(30, 3, 6))
    assert "30 tasks with 3 episodes of each" in text
    assert "adjusted for 6 conditions" in text
    assert f"{tasks_needed(0.05, 1, 6):,}" in text
    assert "Beta(0.5, 0.5)" in text
    assert max(map(len, text.splitlines())) <= 100
    assert plan_lines(30, 3, 0) == []
