"""Pictures of a recording: PNGs that the agent was shown, and small JPEGs for the report alone."""

import struct
from typing import Literal

SCALE = 0.5
"""Pixels of a small picture per CSS pixel of the window."""
QUALITY = 50
"""Quality of the JPEGs, 0 to 100. A WebP of the same page is smaller, but takes the browser much longer."""
TYPICAL_BYTES = 15_000
"""Typical size of a small picture; a test measures it on the pages of the sites."""

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
# Baseline, extended and progressive: the kinds that browsers write.
_FRAMES = frozenset({0xC0, 0xC1, 0xC2})
"""Markers of the JPEG segments that hold height and width."""


def kind_of(picture: bytes) -> Literal["png", "jpeg"] | None:
    """Return the format of a picture; None for anything else."""
    return "png" if picture.startswith(_PNG) else "jpeg" if picture.startswith(_JPEG) else None


def window_of(picture: bytes) -> tuple[float, float] | None:
    """Return width and height, in CSS pixels, of the window in a picture; None if they cannot be read."""
    try:
        # The signature of 8 bytes is followed by length and name, 4 bytes each, of the first chunk, which is always
        # IHDR and begins with width and height. A PNG is the agent's own picture, with one pixel per CSS pixel.
        if picture.startswith(_PNG):
            return struct.unpack_from(">II", picture, 16)
        size = _size(picture)
    except struct.error:
        return None
    return None if size is None else (size[0] / SCALE, size[1] / SCALE)


def _size(picture: bytes) -> tuple[int, int] | None:
    """Return width and height of a JPEG in pixels, from one of its segments; raises struct.error."""
    # After the marker that begins every JPEG and has no length.
    offset = 2
    while picture.startswith(_JPEG):
        start, marker, length = struct.unpack_from(">BBH", picture, offset)
        # No segment begins here: the file is damaged, and any number would be read as a length.
        if start != 0xFF:
            break
        if marker in _FRAMES:
            # Marker and length take two bytes each, and the sample precision one.
            height, width = struct.unpack_from(">HH", picture, offset + 5)
            return width, height
        # The length includes its own two bytes but not the marker. The offset grows even if the length is 0, so this
        # ends.
        offset += 2 + length
    return None
