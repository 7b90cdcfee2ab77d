"""The margin that a design can show: simulated comparisons of equal agents are within it four times out of five."""

import numpy as np
import pytest

from stressweb.analysis.margin import margin, margin_lines
from stressweb.analysis.power import POWER
from stressweb.analysis.statistics import ALPHA, difference_interval

RUNS = 2000


@pytest.mark.parametrize(("tasks", "modes"), [(12, 2), (30, 1), (30, 2), (100, 2)])
def test_equal_agents_stay_within_it_and_a_decline_of_its_size_does_not(tasks: int, modes: int) -> None:
    """A decline as large as the margin is ruled out at most once in 40 times."""
    generator = np.random.default_rng(tasks * modes)
    bound = margin(tasks, 1, modes)
    assert bound is not None
    ruled_out = {0.0: 0, bound: 0}
    for decline in ruled_out:
        for _ in range(RUNS):
            rates = generator.beta(0.5, 0.5, tasks)
            lost = generator.random(tasks) < decline / 0.5
            runs = [(generator.random((modes + 1, tasks)) < rates).astype(float) for _ in "ab"]
            runs[1][1:, lost] = 0.0
            robustness = [arms[1:].mean(axis=0) - arms[0] for arms in runs]
            interval = difference_interval(((robustness[1] - robustness[0]) / 2).tolist())
            assert interval is not None
            ruled_out[decline] += 2 * interval.low > -bound
    # The margin assumes a normal distribution, so few tasks need some tolerance.
    assert ruled_out[0.0] / RUNS == pytest.approx(POWER, abs=0.06)
    assert ruled_out[bound] / RUNS <= ALPHA / 2 + 0.01


def test_more_tasks_and_more_episodes_show_more() -> None:
    sizes = [margin(tasks, 1, 2) for tasks in (12, 30, 100, 1000)]
    assert sizes == sorted(sizes, key=lambda size: -(size or 1))
    assert (margin(30, 5, 10) or 1) < (margin(30, 1, 2) or 0)
    assert (margin(30, 1) or 1) < (margin(30, 1, 2) or 0)


def test_a_small_design_has_no_margin() -> None:
    assert margin(4, 1, 2) is None
    assert margin(5, 1, 1) is None
    assert margin_lines(0, 1, 2) == []
    assert "none that this design can show" in margin_lines(5, 1, 1)[0]
