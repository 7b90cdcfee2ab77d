"""Families of tasks are the units of intervals and tests, checked with statsmodels, brute force and simulation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis import statistics
from stressweb.analysis.margin import margin
from stressweb.analysis.measures import measure
from stressweb.analysis.power import POWER, detectable_loss, plan_lines
from stressweb.analysis.remarks import remarks
from stressweb.analysis.statistics import (
    difference_interval,
    mean_interval,
    rate_interval,
    retention_interval,
    sign_flip,
    totals,
)
from stressweb.analysis.table import headline
from tests.stressweb.analysis.family_losses import FAMILIES, LOSSES
from tests.support.graded_episodes import episode

tasks = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=14)


def test_the_standard_error_is_that_of_statsmodels() -> None:
    """OLS of the losses on a constant, statsmodels 0.15.0: cov_type="cluster", groups of families of two.

    With families of equal size, its correction and CR2 are the same.
    """
    mean, half_width = statistics.spread(*totals(LOSSES, "aabbccddeeffgg"), 0.95)
    assert (mean, half_width / statistics.deviations(0.95)) == pytest.approx((-0.42857143, 0.11845089), abs=5e-9)


def test_a_large_family_makes_the_interval_longer() -> None:
    """CR2 by definition, for a mean: the residuals of a family times (I - H)**-1/2 of its block."""
    values, families = np.array(LOSSES), np.array([*FAMILIES])
    deviations, total = values - values.mean(), 0.0
    for family in sorted(set(families)):
        own = np.flatnonzero(families == family)
        # The block of the hat matrix of a constant has 1 / n everywhere.
        weights, axes = np.linalg.eigh(np.eye(own.size) - np.full((own.size, own.size), 1 / values.size))
        total += float(((axes / np.sqrt(weights)) @ axes.T @ deviations[own]).sum()) ** 2
    sums, sizes = totals(LOSSES, FAMILIES)
    _, half_width = statistics.spread(sums, sizes, 0.95)
    wider = statistics.widening(sizes)
    assert half_width == pytest.approx(statistics.deviations(0.95) * np.sqrt(total) / values.size * wider)
    assert wider > 1


@given(tasks)
def test_families_of_one_task_change_nothing(pairs: list[tuple[float, float]]) -> None:
    """Every figure is exactly what it is without families."""
    clean, stressed = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    losses = [after - before for before, after in pairs]
    own = range(len(pairs))
    assert difference_interval(losses, families=own) == difference_interval(losses)
    assert mean_interval(losses, 2.0, families=own) == mean_interval(losses, 2.0)
    assert rate_interval(clean, families=own) == rate_interval(clean)
    assert rate_interval(clean, [2.0] * len(clean), families=own) == rate_interval(clean, [2.0] * len(clean))
    assert retention_interval(stressed, clean, families=own) == retention_interval(stressed, clean)
    assert sign_flip(losses, own) == sign_flip(losses)


def test_the_test_flips_whole_families() -> None:
    """Counted over all 2**7 signs of the seven families."""
    sums = totals(LOSSES, FAMILIES)[0]
    signs = np.array([*product([-1, 1], repeat=7)])
    assert sign_flip(LOSSES, FAMILIES) == pytest.approx(np.mean(np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9))


def test_fewer_than_five_families_have_no_interval() -> None:
    """However many tasks they have."""
    assert difference_interval([0.0, 1.0] * 10, families=[0, 1, 2, 3] * 5) is None
    assert rate_interval([0.0, 1.0] * 10, families=[0, 1, 2, 3] * 5) is None
    with pytest.raises(ValueError, match="3 tasks have 2 families"):
        totals([0, 0, 0], "ab")


@pytest.mark.parametrize("sizes", [(3,) * 12, (1, 1, 1, 1, 1, 1, 1, 1, 6, 6, 6, 6)], ids=["equal", "uneven"])
def test_intervals_cover_and_tests_alarm_at_their_level_where_families_fail_together(sizes: tuple[int, ...]) -> None:
    """If all tasks of a family have one outcome, intervals over tasks are far too short; those over families are not."""
    generator, families = np.random.default_rng(5), np.repeat(np.arange(len(sizes)), sizes).tolist()
    covers = {"families": 0, "tasks": 0}
    alarms = {"families": 0, "tasks": 0}
    runs = 1000
    for _ in range(runs):
        losses = generator.choice([-1.0, 0.0, 1.0], p=[0.3, 0.4, 0.3], size=len(sizes))[families].tolist()
        for unit, own in (("families", families), ("tasks", None)):
            low, high = difference_interval(losses, families=own) or (1.0, 1.0)
            covers[unit] += low <= 0 <= high
            alarms[unit] += int(sign_flip(losses, own) <= 0.05)
    assert covers["families"] >= 0.92 * runs
    assert covers["tasks"] < 0.85 * runs
    assert alarms["families"] <= 0.065 * runs
    assert alarms["tasks"] > 0.1 * runs


@pytest.mark.parametrize(("families", "size", "repeats"), [(20, 2, 1), (30, 3, 1)])
def test_the_power_is_that_of_simulated_runs(families: int, size: int, repeats: int) -> None:
    """Under the assumption of the estimate: tasks of a family have one success rate and are lost together."""
    generator, loss = np.random.default_rng(7), detectable_loss(families, size * repeats)
    own = np.repeat(np.arange(families), size)
    rejections = 0
    for _ in range(400):
        rates = generator.beta(0.5, 0.5, families)
        remaining_rates = rates * (generator.random(families) >= 2 * loss)
        clean, stressed = (generator.binomial(repeats, arm[own]) / repeats for arm in (rates, remaining_rates))
        rejections += int(
            sign_flip((stressed - clean).tolist(), own.tolist()) <= 0.05 and stressed.mean() < clean.mean()
        )
    assert rejections / 400 == pytest.approx(POWER, abs=0.1)


def test_a_plan_states_its_number_of_families() -> None:
    """A plan with families detects less than one of independent tasks, and says so."""
    text = "\n".join(plan_lines(30, 1, 1, 12))
    assert "30 tasks of 12 families with 1 episode of each" in text
    assert "Tasks of a family have the same clean success rate and are lost together." in text
    assert "each of a family of its own" in text
    assert plan_lines(30, 1, 1, 30) == plan_lines(30, 1, 1)
    assert detectable_loss(12, 2) > detectable_loss(30, 1)
    assert margin(30, 5, 5, 4) is None
    assert margin(30, 5, 5, 30) == margin(30, 5, 5)


def test_a_table_states_its_number_of_families() -> None:
    """In its headline, in each row of the JSON, and where a test cannot reject."""
    episodes = [
        episode(number, condition, condition == "clean", family=family)
        for number, family in enumerate("aabbccddeeff")
        for condition in ("clean", "remap@3", "popup@3")
    ]
    assert "12 tasks of 6 families" in headline(episodes)
    _, remap, _ = rows = measure(episodes)
    assert (remap.tasks, remap.families, remap.paired_tasks, remap.paired_families) == (12, 6, 12, 6)
    assert remap.p_value == 2 / 2**6
    assert remap.can_reject is False
    assert any(line.startswith("With 12 tasks of 6 families, a test adjusted for 2") for line in remarks(rows))
    families_of_one = measure(each_episode.model_copy(update={"family": ""}) for each_episode in episodes)
    assert families_of_one[1].p_value == 2 / 2**12
    assert families_of_one[1].paired_families == 12
