"""pass^k and flips."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.curves.repeated import Repeated, repeated
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.statistics import rate_interval
from tests.stressweb.analysis.curves.small_runs import site_episode


def of(*outcomes: str, condition: str = "clean") -> list[Graded]:
    """Return a task per string: its epochs as 1 or 0, E for an error."""
    return [
        site_episode(task, condition, won == "1", epoch=epoch, status="error" if won == "E" else "done")
        for task, epochs in enumerate(outcomes)
        for epoch, won in enumerate(epochs)
    ]


def figures_of(episodes: list[Graded]) -> Repeated:
    figures = repeated("naive", episodes[0].condition, episodes)
    assert figures is not None
    return figures


def test_pass_k_is_the_share_of_choices_that_all_succeed() -> None:
    """With 3 successes of 4, the shares are 3 of 4, 3 of 6 pairs, 1 of 4 triples, and none of all four."""
    figures = figures_of(of("1110"))
    assert [pass_rate.value for pass_rate in figures.pass_k] == pytest.approx([3 / 4, 3 / 6, 1 / 4, 0])


@given(st.lists(st.text("10", min_size=3, max_size=3), min_size=1, max_size=8))
def test_it_is_unbiased(outcomes: list[str]) -> None:
    """Every choice of k epochs is as likely as any other."""
    figures = figures_of(of(*outcomes))
    for pass_rate in figures.pass_k:
        shares = [[set(choice) == {"1"} for choice in combinations(own, pass_rate.k)] for own in outcomes]
        assert pass_rate.value == pytest.approx(sum(sum(own) / len(own) for own in shares) / len(shares))
    assert [pass_rate.k for pass_rate in figures.pass_k] == [1, 2, 3]


def test_the_last_pass_rate_is_that_of_the_table() -> None:
    episodes = of("111", "10E", "0", "11")
    (row,) = measure(episodes)
    figures = figures_of(episodes)
    assert (figures.tasks, figures.pass_k[-1].k) == (3, row.pass_k)
    assert figures.pass_k[-1].value == pytest.approx(row.pass_hat_k)
    assert figures.flip_rate == pytest.approx(row.flip_rate)


def test_intervals_are_those_of_rates_over_tasks() -> None:
    figures = figures_of(of("11", "10", "11", "00", "11"))
    assert figures.pass_k[1].intervals.these_sites == rate_interval([1, 0, 1, 0, 1])
    assert figures.flip_intervals is not None
    assert figures.flip_intervals.these_sites == rate_interval([0, 1, 0, 0, 0])


def test_episodes_with_other_disturbances_are_repeats_but_no_flips() -> None:
    episodes = [site_episode(0, "remap@3", seed == 0, stress_seed=seed) for seed in (0, 1)]
    figures = figures_of(episodes)
    assert ([pass_rate.value for pass_rate in figures.pass_k], figures.flip_rate) == ([0.5, 0], None)
    again = [each_episode.model_copy(update={"epoch": 1}) for each_episode in episodes]
    assert figures_of(episodes + again).flip_rate == 0


def test_without_repeats_there_are_no_figures() -> None:
    assert repeated("naive", "clean", of("1", "0")) is None
