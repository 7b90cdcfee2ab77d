"""Stores contents as differences from an earlier one, because the pages of an episode resemble each other.

A delta is a mark, the hash of its base, and a zstd frame compressed with the base as its dictionary. A base is always
stored whole, so reading a content reads at most one other.
"""

import zstandard

from stressweb.log.sealing import hash_of

BASES = 16
"""Bases per episode."""
_MARK = b"\xd1"
"""First byte of a delta; no zstd frame begins with it."""
_HASH = 16
HEAD = len(_MARK) + _HASH
"""Bytes of a delta before its frame."""
_WORTH = 12
"""How many times smaller than its content a delta must be; other contents are stored whole, as new bases."""
LARGEST_BASE = 1_000_000
"""Largest base, in bytes."""
_LEVEL = 3


class Deltas:
    """The bases for the texts of one episode."""

    def __init__(self, whole: zstandard.ZstdCompressor) -> None:
        """Take the compressor of contents that are stored whole."""
        self._whole = whole
        self._bases: dict[bytes, tuple[int, zstandard.ZstdCompressor]] = {}
        self._latest = b""
        """The base that was used or made last."""

    def squeezed(self, data: bytes) -> bytes:
        """Return a content as it is stored; its base must be stored in the same transaction or earlier."""
        # Most steps change the document of the latest base. Otherwise, pages of one kind have similar lengths.
        nearest = sorted(self._bases.items(), key=lambda base: (base[0] != self._latest, abs(base[1][0] - len(data))))
        # Each try costs a whole compression, so only the two most likely bases get one.
        for base, (_, squeeze) in nearest[:2]:
            delta = _MARK + base + squeeze.compress(data)
            if len(delta) * _WORTH <= len(data):
                self._latest = base
                return delta
        # No base is ever dropped: a later page may resemble any of them.
        if len(data) <= LARGEST_BASE and len(self._bases) < BASES:
            compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=as_base(data))
            self._latest = hash_of(data)
            self._bases[self._latest] = len(data), compressor
        return self._whole.compress(data)


def base_of(data: bytes) -> bytes | None:
    """Return the hash of a stored content's base; None if the content is stored whole."""
    return data[len(_MARK) : HEAD] if data.startswith(_MARK) and len(data) > HEAD else None


def as_base(data: bytes) -> zstandard.ZstdCompressionDict:
    """Return a content as a dictionary for others."""
    # By default zstd would take a text for a trained dictionary if it begins with the magic number of one.
    return zstandard.ZstdCompressionDict(data, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
