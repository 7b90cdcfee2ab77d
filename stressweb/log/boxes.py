"""Boxes of elements as bytes: many per page, on every step, and alike from one step to the next."""

import json
from collections.abc import Sequence

import numpy as np

from stressweb.plugins.agent import Box

_NONE = np.iinfo(np.int32).min
"""Stands for an element that is not rendered."""
_SCALE = 100
"""Pages are measured in hundredths of a CSS pixel."""
# A tuple of four floats and the pointer to it take 192 bytes in CPython, and 16 here.
WEIGHT = 12
"""Bytes that boxes take when they are read, for each byte of `pack`."""
_LARGEST = -_NONE // _SCALE
"""CSS pixels that fit into 32 bits by hundredths."""


def pack(boxes: Sequence[Box | None]) -> bytes:
    """Return boxes as bytes: whole hundredths of a pixel, each column for itself, as differences from row to row.

    Boxes with other values, which no page of ours gives, are written as JSON; nothing is ever rounded.
    """
    # Infinity and NaN fail this comparison too, and go the way of JSON.
    if all(abs(side) < _LARGEST for box in boxes if box is not None for side in box):
        rows = [(_NONE,) * 4 if box is None else tuple(round(side * _SCALE) for side in box) for box in boxes]
        table = np.array(rows, np.int64).reshape(-1, 4)
        # Neighbours share their left edge and their width, so that most differences are 0 and compress to next to
        # nothing. The order of bytes is fixed, since equal boxes must have the same hash on every machine.
        data = b"d" + np.diff(table, axis=0, prepend=0).astype("<i4").T.tobytes()
        # Differences wrap around and come back by the same way.
        if unpack(data) == tuple(boxes):
            return data
    return b"j" + json.dumps([None if box is None else list(box) for box in boxes]).encode()


def unpack(data: bytes) -> tuple[Box | None, ...]:
    """Return the boxes that `pack` made bytes of."""
    if data[:1] == b"j":
        return tuple(None if box is None else (box[0], box[1], box[2], box[3]) for box in json.loads(data[1:]))
    # Sums of 32 bits, as the differences were made: in wider numbers what wrapped around would not come back.
    columns = np.frombuffer(data[1:], "<i4").reshape(4, -1)
    table = np.cumsum(columns, axis=1, dtype=np.int32).T.tolist()
    return tuple(
        None if x == _NONE else (x / _SCALE, y / _SCALE, width / _SCALE, height / _SCALE)
        for x, y, width, height in table
    )
