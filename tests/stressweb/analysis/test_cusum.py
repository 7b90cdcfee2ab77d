"""The CUSUM chart over nights: its sums, its resets and its false alarms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scripts.nightly_simulator import Agent, agents, flipped, simulate
from scripts.simulator import POPULATIONS
from stressweb.analysis.cusum import NIGHTS, REFERENCE, THRESHOLD, added, carried_over, confirmed, score, suspected
from stressweb.analysis.statistics import sign_flip


@given(st.floats(-1, 1), st.floats(1e-12, 1))
def test_a_score_is_the_normal_quantile_of_its_test(change: float, p_value: float) -> None:
    scored = score(change, p_value)
    assert np.sign(scored) == (0 if p_value == 1 else np.sign(change))
    if scored:
        assert 2 * stats.norm.sf(abs(scored)) == pytest.approx(p_value)


def test_no_data_and_no_difference_score_nothing() -> None:
    assert (score(None, None), score(0.0, 1.0), score(-0.1, 1.0)) == (0.0, 0.0, 0.0)


def test_bad_nights_add_to_the_sum_and_good_nights_subtract() -> None:
    assert added((0.0, 0.0), (0.0, 3.0)) == (0.0, 0.0)
    assert added((1.0, 2.0), (-2.0, 0.0)) == pytest.approx((3.0 - REFERENCE, 2.0 - REFERENCE))


@pytest.mark.parametrize(
    ("totals", "night", "expected"),
    [
        ((0.0, 0.0), (0.0, 0.0), False),
        ((0.0, 0.0), (-1.95, 3.0), False),
        # The level of the test that the comparison prints: two-sided 5 %.
        ((0.0, 0.0), (3.0, -1.96), True),
        ((THRESHOLD, 0.0), (-1.0, 0.0), False),
        ((0.0, THRESHOLD + 0.01), (0.0, 0.0), True),
    ],
)
def test_a_low_night_or_a_high_sum_is_suspected(
    totals: tuple[float, float], night: tuple[float, float], expected: bool
) -> None:
    assert suspected(totals, night) == expected


def test_an_alarm_needs_the_sum_and_the_rerun_on_the_same_line() -> None:
    high = THRESHOLD + 1
    assert confirmed((high, 0.0), (-0.1, 0.0))
    assert not confirmed((high, 0.0), (0.0, -3.0))
    assert not confirmed((THRESHOLD, 0.0), (-3.0, 0.0))
    assert carried_over((high, 1.0), alarm=True) == (0.0, 0.0)
    assert carried_over((high, 1.0), alarm=False) == (THRESHOLD, 1.0)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=18))
def test_the_simulator_uses_the_same_test(differences: list[int]) -> None:
    sizes = tuple(sum(abs(difference) == size for difference in differences) for size in range(1, 5))
    assert flipped(sizes, abs(sum(differences))) == pytest.approx(sign_flip(differences))


@pytest.mark.parametrize("population", POPULATIONS[:2], ids=lambda population: population.effect)
def test_an_agent_that_has_not_changed_alarms_at_most_once_in_ninety_nights(population: object) -> None:
    unchanged = next(agent for agent in agents() if agent == (population, 0.0))
    # Alarms of one baseline cluster, because all of its nights share that baseline's chance.
    assert simulate(unchanged, 20).alarms <= 1 + 3 * 2 / np.sqrt(20)


def test_a_large_decline_is_found_within_a_week() -> None:
    simulation = simulate(Agent(POPULATIONS[0], 0.4), 20)
    assert simulation.within[7] >= 0.9
    assert simulation.within[1] <= simulation.within[7] <= simulation.within[30]


@pytest.mark.audit
@pytest.mark.timeout(3600)
def test_false_alarms_of_every_population() -> None:
    """At most one in ninety nights, plus the sampling error of 200 baselines."""
    for agent in agents():
        if not agent.decline:
            assert simulate(agent).alarms <= 1 + 3 * 2 / np.sqrt(200), agent.population.name
    assert NIGHTS == 90
