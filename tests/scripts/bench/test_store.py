"""Extrapolate the time of a run of ten thousand episodes from two smaller runs."""

import pytest

from scripts.bench.store import EPISODES, Cost, extrapolated, extrapolated_report
from stressweb.report.chosen import LARGE, MOST

START_S, EACH_S, DETAIL_S = 2.0, 0.004, 0.05


def took(episodes: int, detailed: int = 0) -> Cost:
    """A command whose time has three parts, on two processors."""
    processor_s = START_S + EACH_S * episodes + DETAIL_S * detailed
    return Cost(processor_s / 2, processor_s, 100.0)


def report(episodes: int, few: bool = False) -> Cost:
    return took(episodes, 10 if few else episodes if episodes <= LARGE else MOST)


@pytest.mark.parametrize(("fewer", "count"), [(100, 1_000), (250, 2_500), (1_000, 10_000), (2_000, 20_000)])
def test_each_further_episode_takes_what_it_took_between_the_two(fewer: int, count: int) -> None:
    full = took(max(count, EPISODES))
    assert extrapolated(fewer, took(fewer), count, took(count)) == pytest.approx((full.seconds, full.processor_s))


@pytest.mark.parametrize(
    ("fewer", "count"), [(60, 600), (100, 1_000), (250, 2_500), (2_001, 5_000), (1_000, 10_000), (2_000, 20_000)]
)
def test_a_report_details_a_fixed_number_of_episodes_however_large_the_run(fewer: int, count: int) -> None:
    few = report(fewer, few=True), report(count, few=True)
    estimate = extrapolated_report(fewer, report(fewer), count, report(count), *few)
    full = report(max(count, EPISODES))
    assert estimate == pytest.approx((full.seconds, full.processor_s))
    assert estimate[1] == pytest.approx(START_S + EACH_S * max(count, EPISODES) + DETAIL_S * MOST)
