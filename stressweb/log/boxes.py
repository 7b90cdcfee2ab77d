"""Boxes of elements as bytes: many per page, on every step, and similar from one step to the next."""

import json
from collections.abc import Sequence

import numpy as np

from stressweb.plugins.agent import Box

_NONE = np.iinfo(np.int32).min
"""Marks an element that is not rendered."""
_SCALE = 100
"""Boxes are stored in hundredths of a CSS pixel."""
# A tuple of four floats and the pointer to it take 192 bytes in CPython, and 16 here.
WEIGHT = 12
"""Memory in bytes for each byte of `pack`."""
_LARGEST = -_NONE // _SCALE
"""Largest length in CSS pixels that fits into 32 bits."""


def pack(boxes: Sequence[Box | None]) -> bytes:
    """Return boxes as bytes: whole hundredths of a pixel, column by column, as differences from row to row.

    Boxes with other values, which our pages never have, are written as JSON; nothing is ever rounded.
    """
    # Infinity and NaN fail this comparison too and are written as JSON.
    if all(abs(side) < _LARGEST for box in boxes if box is not None for side in box):
        rows = [(_NONE,) * 4 if box is None else tuple(round(side * _SCALE) for side in box) for box in boxes]
        table = np.array(rows, np.int64).reshape(-1, 4)
        # Neighbours share their left edge and width, so most differences are 0 and compress well. The byte order is
        # fixed, because equal boxes must have the same hash on every machine.
        data = b"d" + np.diff(table, axis=0, prepend=0).astype("<i4").T.tobytes()
        # Differences may wrap around, and wrap back when they are read.
        if unpack(data) == tuple(boxes):
            return data
    return b"j" + json.dumps([None if box is None else list(box) for box in boxes]).encode()


def unpack(data: bytes) -> tuple[Box | None, ...]:
    """Return the boxes that `pack` wrote."""
    if data[:1] == b"j":
        return tuple(None if box is None else (box[0], box[1], box[2], box[3]) for box in json.loads(data[1:]))
    # In 32 bits, as the differences were computed: in wider integers a wrapped value would not wrap back.
    columns = np.frombuffer(data[1:], "<i4").reshape(4, -1)
    table = np.cumsum(columns, axis=1, dtype=np.int32).T.tolist()
    return tuple(
        None if x == _NONE else (x / _SCALE, y / _SCALE, width / _SCALE, height / _SCALE)
        for x, y, width, height in table
    )
