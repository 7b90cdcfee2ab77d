"""Figures as people read them: rounded half up, and never to 0 or to all unless they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.statistics import Interval
from stressweb.analysis.wording import p_value, percent, points, ranges, span
from stressweb.core.words import counted


@pytest.mark.parametrize(
    ("share", "figure"),
    [
        (0.0, "0 %"), (1.0, "100 %"), (299 / 300, ">99 %"), (1 / 300, "<1 %"), (0.125, "13 %"), (57 / 200, "29 %"),
        (0.005, "1 %"), (0.995, ">99 %"), (0.984, "98 %"), (None, "–"), (sum([0.1] * 10), "100 %"),
    ],
)  # fmt: skip
def test_percentages_round_half_up_and_keep_the_ends(share: float | None, figure: str) -> None:
    assert percent(share) == figure


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_only_none_reads_0_and_only_all_reads_100(counts: tuple[int, int]) -> None:
    part, total = counts
    assert (percent(part / total) == "0 %") == (part == 0)
    assert (percent(part / total) == "100 %") == (part == total)
    for sign in (1, -1):
        assert (points(sign * part / total) == "0") == (part == 0)
        assert (points(sign * part / total) in ("+100", "−100")) == (part == total)


@pytest.mark.parametrize(
    ("share", "figure"),
    [
        (0.0, "0"), (-0.005, "−1"), (0.005, "+1"), (-0.917, "−92"), (1.0, "+100"), (-0.25, "−25"), (-1 / 300, "−0.3"),
        (-299 / 300, "−99.7"), (1e-5, "+0.1"), (-0.99999, "−99.9"), (-1e-12, "0"),
    ],
)  # fmt: skip
def test_points_are_signed(share: float, figure: str) -> None:
    assert points(share) == figure


def test_spans() -> None:
    assert span(Interval(-1.0, 0.21)) == "[−100, +21]"
    assert span(None) == ""


@pytest.mark.parametrize(
    ("value", "figure"),
    [(1.0, "1"), (0.0625, ".063"), (0.05, ".050"), (0.0501, ".051"), (0.0004, "<.001"), (0.001, ".001"), (None, "–")],
)
def test_p_values_are_never_rounded_across_a_level(value: float | None, figure: str) -> None:
    assert p_value(value) == figure


def test_counts_and_ranges() -> None:
    assert (counted(1, "task"), counted(2, "task")) == ("1 task", "2 tasks")
    assert (ranges([2, 0, 1]), ranges([7, 0]), ranges([])) == ("0..2", "0, 7", "–")
