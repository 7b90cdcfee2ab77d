"""The adaptive estimate on simulated agents whose curve is known."""

import numpy as np
import pytest

from runner.causes.threshold import HALF_WIDTH, MOST_EPISODES, Estimate, estimate

RUNS = 150


def truth(threshold: float, spread: float, severity: int) -> float:
    return float(1 / (1 + np.exp((severity - threshold) / spread)))


def simulated(threshold: float, spread: float, seed: int) -> Estimate:
    draws = np.random.default_rng(seed)
    return estimate(lambda severity, number: draws.random() < truth(threshold, spread, severity))


@pytest.mark.sample(1)
@pytest.mark.parametrize(("threshold", "spread"), [(2.5, 0.5), (3.7, 1.0), (1.2, 2.0), (4.8, 0.5)])
def test_the_interval_holds_what_is_true(threshold: float, spread: float) -> None:
    found = [simulated(threshold, spread, seed) for seed in range(RUNS)]
    for at in range(5):
        covered = [one.left[at].low <= truth(threshold, spread, at + 1) <= one.left[at].high for one in found]
        # The grid is coarse, and 150 runs are few: a wrong update covers half or nothing.
        assert np.mean(covered) >= 0.85
    assert all(one.episodes <= MOST_EPISODES for one in found)
    assert all(one.half_width <= HALF_WIDTH or one.episodes == MOST_EPISODES for one in found)
    # Most of the time it is known before the episodes are used up.
    assert np.mean([one.episodes for one in found]) < MOST_EPISODES


@pytest.mark.parametrize("passes", [True, False])
def test_an_agent_that_always_does_the_same_is_soon_known(passes: bool) -> None:
    found = estimate(lambda severity, number: passes)
    assert found.left[0].share == pytest.approx(float(passes), abs=0.1)
    assert [one.share for one in found.left] == sorted((one.share for one in found.left), reverse=True)


def test_each_episode_is_played_near_the_threshold() -> None:
    played = []

    def play(severity: int, number: int) -> bool:
        assert number == len(played)
        played.append(severity)
        return severity <= 2

    assert estimate(play).episodes == len(played)
    assert set(played[-5:]) <= {2, 3}
