"""Boxes come back from the store unchanged."""

from hypothesis import given
from hypothesis import strategies as st

from stressweb.log.boxes import pack, unpack

hundredths = st.integers(-3_000_000_000, 3_000_000_000).map(lambda number: number / 100)
near = st.integers(-500_000, 500_000).map(lambda number: number / 100)
anything = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(st.lists(st.none() | st.tuples(near, near, near, near)))
def test_measured_boxes_take_sixteen_bytes_each(boxes: list[tuple[float, float, float, float] | None]) -> None:
    assert unpack(pack(boxes)) == tuple(boxes)
    assert len(pack(boxes)) == 1 + 16 * len(boxes)


@given(st.lists(st.none() | st.tuples(*[hundredths | anything] * 4)))
def test_any_boxes_come_back_unrounded(boxes: list[tuple[float, float, float, float] | None]) -> None:
    assert unpack(pack(boxes)) == tuple(boxes)
