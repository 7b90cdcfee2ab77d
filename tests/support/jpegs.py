"""Heads of JPEG files."""

import struct


def jpeg(width: int, height: int, before: bytes = b"", frame: int = 0xC0) -> bytes:
    """Return the head of a JPEG, with another segment before the one with its size."""
    size = struct.pack(">BBHBHH", 0xFF, frame, 17, 8, height, width)
    return b"\xff\xd8" + b"\xff\xe0" + struct.pack(">H", 2 + len(before)) + before + size
