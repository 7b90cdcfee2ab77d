"""The chart over nights: what it adds up, what it forgets, and how seldom it alarms without a reason."""

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
    found = score(change, p_value)
    assert np.sign(found) == (0 if p_value == 1 else np.sign(change))
    if found:
        assert 2 * stats.norm.sf(abs(found)) == pytest.approx(p_value)


def test_no_data_and_no_difference_score_nothing() -> None:
    assert (score(None, None), score(0.0, 1.0), score(-0.1, 1.0)) == (0.0, 0.0, 0.0)


def test_nights_that_fall_short_add_up_and_good_ones_take_away() -> None:
    assert added((0.0, 0.0), (0.0, 3.0)) == (0.0, 0.0)
    assert added((1.0, 2.0), (-2.0, 0.0)) == pytest.approx((3.0 - REFERENCE, 2.0 - REFERENCE))


@pytest.mark.parametrize(
    ("totals", "night", "said"),
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
    totals: tuple[float, float], night: tuple[float, float], said: bool
) -> None:
    assert suspected(totals, night) == said


def test_an_alarm_needs_the_sum_and_the_rerun_on_the_same_line() -> None:
    high = THRESHOLD + 1
    assert confirmed((high, 0.0), (-0.1, 0.0))
    assert not confirmed((high, 0.0), (0.0, -3.0))
    assert not confirmed((THRESHOLD, 0.0), (-3.0, 0.0))
    assert carried_over((high, 1.0), alarm=True) == (0.0, 0.0)
    assert carried_over((high, 1.0), alarm=False) == (THRESHOLD, 1.0)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=18))
def test_the_simulator_tests_as_the_program_does(differences: list[int]) -> None:
    sizes = tuple(sum(abs(one) == size for one in differences) for size in range(1, 5))
    assert flipped(sizes, abs(sum(differences))) == pytest.approx(sign_flip(differences))


@pytest.mark.parametrize("population", POPULATIONS[:2], ids=lambda one: one.effect)
def test_an_agent_that_has_not_changed_alarms_at_most_once_in_ninety_nights(population: object) -> None:
    found = next(agent for agent in agents() if agent == (population, 0.0))
    # Alarms of one baseline come in clusters, since its luck is in all of its nights.
    assert simulate(found, 20).alarms <= 1 + 3 * 2 / np.sqrt(20)


def test_a_large_decline_is_found_within_a_week() -> None:
    found = simulate(Agent(POPULATIONS[0], 0.4), 20)
    assert found.within[7] >= 0.9
    assert found.within[1] <= found.within[7] <= found.within[30]


@pytest.mark.audit
@pytest.mark.timeout(3600)
def test_false_alarms_of_every_population() -> None:
    """One in ninety nights at most, the sampling error of 200 baselines allowed for."""
    for agent in agents():
        if not agent.decline:
            assert simulate(agent).alarms <= 1 + 3 * 2 / np.sqrt(200), agent.population.name
    assert NIGHTS == 90
