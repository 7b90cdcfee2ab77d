"""Matching and ordering of rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.templates import Bound, Scalar, matches, matching, ordered


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))))
def test_ordered_keeps_the_order_of_equals(pairs: list[tuple[int, int]]) -> None:
    rows = [{"a": a, "b": b, "at": number} for number, (a, b) in enumerate(pairs)]
    assert ordered(rows, ["a", "-b"]) == sorted(rows, key=lambda row: (row["a"], -row["b"], row["at"]))


@given(st.integers(-5, 5), st.integers(-5, 5))
def test_bounds_and_equality(figure: int, limit: int) -> None:
    row = {"n": figure}
    assert matches(row, {"n": Bound(at_least=limit)}, {}) == (figure >= limit)
    assert matches(row, {"n": Bound(at_most=limit)}, {}) == (figure <= limit)
    assert matches(row, {"n": "{limit}"}, {"limit": limit}) == (figure == limit)


NUMBER = st.integers(0, 2)
CONDITION = st.one_of(
    NUMBER, st.just("{limit}"), st.builds(Bound, at_least=NUMBER), st.builds(Bound, other_than=NUMBER)
)


@given(st.lists(st.tuples(NUMBER, NUMBER), min_size=8), st.dictionaries(st.sampled_from("ab"), CONDITION), NUMBER)
def test_matching_rows_are_those_that_match(
    pairs: list[tuple[int, int]], where: dict[str, Scalar | Bound], limit: int
) -> None:
    rows = [{"a": a, "b": b} for a, b in pairs]
    assert matching(rows, where, {"limit": limit}) == [row for row in rows if matches(row, where, {"limit": limit})]


def test_an_unevaluated_condition_may_have_an_unknown_name() -> None:
    assert matching([{"a": 1, "b": 1}], {"a": 2, "b": "{gone}"}, {}) == []
    with pytest.raises(KeyError):
        matching([{"a": 2, "b": 1}], {"a": 2, "b": "{gone}"}, {})
