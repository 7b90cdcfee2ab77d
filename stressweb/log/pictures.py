"""The pictures of a recording: PNGs as an agent was shown them, and small JPEGs that are taken for the report alone."""

import struct
from typing import Literal

SCALE = 0.5
"""Pixels of a small picture for each CSS pixel of the window."""
QUALITY = 50
"""Quality of the JPEGs, 0 to 100. A WebP of the same page is smaller, but takes the browser much longer."""
TYPICAL_BYTES = 15_000
"""About what a small picture takes, as a test measures it on the pages of the sites."""

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
# Baseline, extended and progressive: the kinds that browsers write.
_FRAMES = frozenset({0xC0, 0xC1, 0xC2})
"""Markers of the segments of a JPEG that hold its height and width."""


def kind_of(picture: bytes) -> Literal["png", "jpeg"] | None:
    """Return what a picture is; None for anything else."""
    return "png" if picture.startswith(_PNG) else "jpeg" if picture.startswith(_JPEG) else None


def window_of(picture: bytes) -> tuple[float, float] | None:
    """Return width and height, in CSS pixels, of the window that a picture shows; None if it does not say."""
    try:
        # Behind the signature of 8 bytes come length and name of the first chunk, 4 bytes each, which is always IHDR
        # and begins with width and height. A PNG is the agent's own picture, with one pixel for each CSS pixel.
        if picture.startswith(_PNG):
            return struct.unpack_from(">II", picture, 16)
        size = _size(picture)
    except struct.error:
        return None
    return None if size is None else (size[0] / SCALE, size[1] / SCALE)


def _size(picture: bytes) -> tuple[int, int] | None:
    """Return width and height of a JPEG in pixels, which stand in one of its segments; raises struct.error."""
    # Behind the marker that begins every JPEG and has no length.
    offset = 2
    while picture.startswith(_JPEG):
        start, marker, length = struct.unpack_from(">BBH", picture, offset)
        # No segment begins here: the file is damaged, and going on would read any number as a length.
        if start != 0xFF:
            break
        if marker in _FRAMES:
            # Marker and length take two bytes each, and the precision of the samples one.
            height, width = struct.unpack_from(">HH", picture, offset + 5)
            return width, height
        # The length counts its own two bytes but not those of the marker. It moves on even if it says 0, so this ends.
        offset += 2 + length
    return None
