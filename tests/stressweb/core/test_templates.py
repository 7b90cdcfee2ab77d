"""Rows that match, and the order in which they stand."""

from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.templates import Bound, matches, ordered


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))))
def test_ordered_keeps_the_order_of_equals(pairs: list[tuple[int, int]]) -> None:
    rows = [{"a": a, "b": b, "at": at} for at, (a, b) in enumerate(pairs)]
    assert ordered(rows, ["a", "-b"]) == sorted(rows, key=lambda row: (row["a"], -row["b"], row["at"]))


@given(st.integers(-5, 5), st.integers(-5, 5))
def test_bounds_and_equality(value: int, limit: int) -> None:
    row = {"n": value}
    assert matches(row, {"n": Bound(at_least=limit)}, {}) == (value >= limit)
    assert matches(row, {"n": Bound(at_most=limit)}, {}) == (value <= limit)
    assert matches(row, {"n": "{limit}"}, {"limit": limit}) == (value == limit)
