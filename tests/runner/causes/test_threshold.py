"""The adaptive estimate on simulated agents with a known curve."""

import numpy as np
import pytest

from stressweb.runner.causes.threshold import HALF_WIDTH, MAX_EPISODES, Estimate, estimate

RUNS = 150


def truth(threshold: float, spread: float, severity: int) -> float:
    return float(1 / (1 + np.exp((severity - threshold) / spread)))


def simulated(threshold: float, spread: float, seed: int) -> Estimate:
    draws = np.random.default_rng(seed)
    return estimate(lambda severity, number: draws.random() < truth(threshold, spread, severity))


@pytest.mark.sample(1)
@pytest.mark.parametrize(("threshold", "spread"), [(2.5, 0.5), (3.7, 1.0), (1.2, 2.0), (4.8, 0.5)])
def test_the_interval_contains_the_true_share(threshold: float, spread: float) -> None:
    estimates = [simulated(threshold, spread, seed) for seed in range(RUNS)]
    for index in range(5):
        covered = [
            estimated.left[index].low <= truth(threshold, spread, index + 1) <= estimated.left[index].high
            for estimated in estimates
        ]
        # The grid is coarse, and 150 runs are few: a wrong update covers half or nothing.
        assert np.mean(covered) >= 0.85
    assert all(estimated.episodes <= MAX_EPISODES for estimated in estimates)
    assert all(estimated.half_width <= HALF_WIDTH or estimated.episodes == MAX_EPISODES for estimated in estimates)
    # Most estimates need fewer than the maximum of episodes.
    assert np.mean([estimated.episodes for estimated in estimates]) < MAX_EPISODES


@pytest.mark.parametrize("passes", [True, False])
def test_an_agent_that_always_acts_the_same_needs_few_episodes(passes: bool) -> None:
    estimated = estimate(lambda severity, number: passes)
    assert estimated.left[0].share == pytest.approx(float(passes), abs=0.1)
    assert [level.share for level in estimated.left] == sorted((level.share for level in estimated.left), reverse=True)


def test_each_episode_is_played_near_the_threshold() -> None:
    played: list[int] = []

    def play(severity: int, number: int) -> bool:
        assert number == len(played)
        played.append(severity)
        return severity <= 2

    assert estimate(play).episodes == len(played)
    assert set(played[-5:]) <= {2, 3}
