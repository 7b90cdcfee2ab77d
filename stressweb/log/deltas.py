"""Contents stored as their difference from an earlier one, because the pages of an episode repeat each other.

Such a content is a mark, the hash of its base, and a zstd frame that was made with the base as its dictionary. A base
is always stored whole, so that reading any content reads at most one other.
"""

import zstandard

from stressweb.log.sealing import hash_of

BASES = 16
"""Contents of an episode that others may build on."""
_MARK = b"\xd1"
"""First byte of such a content; a zstd frame begins with another one."""
_HASH = 16
HEAD = len(_MARK) + _HASH
"""Bytes before the frame."""
_WORTH = 12
"""How many times smaller a delta must be; a content that is less similar to any base is stored whole as a new base."""
LARGEST_BASE = 1_000_000
"""Bytes that a base may have."""
_LEVEL = 3


class Deltas:
    """What the texts of one episode can be built on."""

    def __init__(self, whole: zstandard.ZstdCompressor) -> None:
        """Take what compresses contents that are stored whole."""
        self._whole = whole
        self._bases: dict[bytes, tuple[int, zstandard.ZstdCompressor]] = {}
        self._latest = b""
        """The base that was used or made last."""

    def squeezed(self, data: bytes) -> bytes:
        """Return a content as it is to be stored; its base must be stored in the same transaction, or before."""
        # A step mostly changes the document that is there, whose marks no other one has. Besides, pages of one kind
        # have about the same length.
        near = sorted(self._bases.items(), key=lambda base: (base[0] != self._latest, abs(base[1][0] - len(data))))
        # Each try costs a whole compression, so only the two likeliest bases get one.
        for base, (_, squeeze) in near[:2]:
            delta = _MARK + base + squeeze.compress(data)
            if len(delta) * _WORTH <= len(data):
                self._latest = base
                return delta
        # The first pages of an episode become bases, and none is ever dropped: a later page may return to any of them.
        if len(data) <= LARGEST_BASE and len(self._bases) < BASES:
            compressor = zstandard.ZstdCompressor(level=_LEVEL, dict_data=as_base(data))
            self._latest = hash_of(data)
            self._bases[self._latest] = len(data), compressor
        return self._whole.compress(data)


def base_of(data: bytes) -> bytes | None:
    """Return the hash of what a stored content is built on; None if it is stored whole."""
    return data[len(_MARK) : HEAD] if data.startswith(_MARK) and len(data) > HEAD else None


def as_base(data: bytes) -> zstandard.ZstdCompressionDict:
    """Return a content as the dictionary of others."""
    # Left to itself zstd would take a text for a trained dictionary if it begins with the magic number of one.
    return zstandard.ZstdCompressionDict(data, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
