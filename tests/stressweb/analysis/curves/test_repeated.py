"""pass^k and flips."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.curves.repeated import Repeated, repeated
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.statistics import rate_interval
from tests.stressweb.analysis.curves.making import at


def of(*outcomes: str, condition: str = "clean") -> list[Graded]:
    """Return a task for each text: its epochs as 1 or 0, E for an error."""
    return [
        at(task, condition, won == "1", epoch=epoch, status="error" if won == "E" else "done")
        for task, epochs in enumerate(outcomes)
        for epoch, won in enumerate(epochs)
    ]


def found_in(episodes: list[Graded]) -> Repeated:
    found = repeated("naive", episodes[0].condition, episodes)
    assert found is not None
    return found


def test_pass_k_is_the_share_of_choices_that_all_succeed() -> None:
    """3 of 4: one of four draws fails, three of six pairs have it, three of four triples, and all have it together."""
    found = found_in(of("1110"))
    assert [one.value for one in found.pass_k] == pytest.approx([3 / 4, 3 / 6, 1 / 4, 0])


@given(st.lists(st.text("10", min_size=3, max_size=3), min_size=1, max_size=8))
def test_it_is_unbiased(outcomes: list[str]) -> None:
    """Every choice of k epochs is as likely as any other."""
    found = found_in(of(*outcomes))
    for one in found.pass_k:
        shares = [[set(choice) == {"1"} for choice in combinations(own, one.k)] for own in outcomes]
        assert one.value == pytest.approx(sum(sum(own) / len(own) for own in shares) / len(shares))
    assert [one.k for one in found.pass_k] == [1, 2, 3]


def test_the_last_is_that_of_the_table() -> None:
    episodes = of("111", "10E", "0", "11")
    (row,) = measure(episodes)
    found = found_in(episodes)
    assert (found.tasks, found.pass_k[-1].k, found.pass_k[-1].value) == (3, row.pass_k, pytest.approx(row.pass_hat_k))
    assert found.flip_rate == pytest.approx(row.flip_rate)


def test_intervals_are_those_of_rates_over_tasks() -> None:
    found = found_in(of("11", "10", "11", "00", "11"))
    assert found.pass_k[1].intervals.these_sites == rate_interval([1, 0, 1, 0, 1])
    assert found.flip_intervals is not None
    assert found.flip_intervals.these_sites == rate_interval([0, 1, 0, 0, 0])


def test_episodes_with_other_disturbances_are_repeats_but_no_flips() -> None:
    episodes = [at(0, "remap@3", seed == 0, stress_seed=seed) for seed in (0, 1)]
    found = found_in(episodes)
    assert ([one.value for one in found.pass_k], found.flip_rate) == ([0.5, 0], None)
    again = [one.model_copy(update={"epoch": 1}) for one in episodes]
    assert found_in(episodes + again).flip_rate == 0


def test_nothing_repeated_says_nothing() -> None:
    assert repeated("naive", "clean", of("1", "0")) is None
