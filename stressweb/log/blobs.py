"""Pages, trees, boxes and pictures: each content stored once, compressed, under the hash of what it was."""

import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import batched

import zstandard

from stressweb.core.errors import AlteredError, TooLargeError, UserError
from stressweb.log.deltas import BASES, HEAD, LARGEST_BASE, Deltas, as_base, base_of
from stressweb.log.run_file import MOST
from stressweb.log.sealing import hash_of

TOGETHER = 512_000_000
"""Bytes that all contents of an episode may take together when they are read, equal ones counted once."""
_LEVEL = 3
_AT_ONCE = 500
"""Contents that one query asks for; SQLite allows for many more."""


class Blobs:
    """The contents of a run's database. What is too large to be read again is not written either."""

    def __init__(self, connection: sqlite3.Connection, most: int = MOST, together: int = TOGETHER) -> None:
        """Take the connection, which stays the caller's, and the bytes that one and all of an episode may have."""
        self._connection = connection
        self._most, self._most_together = most, together
        self._squeeze = zstandard.ZstdCompressor(level=_LEVEL)
        self._expand = zstandard.ZstdDecompressor()
        # Replaced for each episode by `together`: the bases of one that was rolled back are not there.
        self._deltas = Deltas(self._squeeze)
        # None outside of an episode: then nothing is counted and nothing is kept in memory.
        self._kept: dict[bytes, bytes] | None = None
        self._texts: dict[bytes, str] = {}
        self._taken = 0
        self._bases: dict[bytes, zstandard.ZstdDecompressor] = {}

    @contextmanager
    def together(self) -> Iterator[None]:
        """Count what the body reads and writes against what one episode may have; equal contents are read once."""
        self._kept, self._texts, self._taken = {}, {}, 0
        self._deltas = Deltas(self._squeeze)
        try:
            yield
        finally:
            # The expanded pages of an episode may take half a gigabyte: they must not stay until the next one is read.
            self._kept, self._texts = None, {}

    def put(self, data: bytes, weight: int = 1) -> bytes:
        """Store a content, unless it is there, and return its hash; raises TooLargeError.

        `weight` is how many bytes each of its bytes takes when it is read.
        """
        return self._put(data, weight, self._squeeze.compress)

    def put_text(self, text: str) -> bytes:
        """Store a text and return its hash; raises TooLargeError.

        Pages of an episode repeat each other: most are stored as what differs from an earlier one.
        """
        # Only what is stored in the same transaction is sure to be there as long as what is built on it.
        return self._put(text.encode(), 1, self._squeeze.compress if self._kept is None else self._deltas.squeezed)

    def _put(self, data: bytes, weight: int, squeezed: Callable[[bytes], bytes]) -> bytes:
        digest = hash_of(data)
        # Before anything is compressed: a page that an agent filled up must not cost the time of compressing it.
        if len(data) > self._most:
            raise TooLargeError(f"a page or screenshot has {len(data)} bytes; the limit is {self._most}")
        # Counted even if it is stored already, because reading the episode holds it in memory all the same.
        if not self._keep(digest, data, len(data) * weight):
            raise TooLargeError(
                f"the pages and screenshots of an episode have more than {self._most_together} bytes together"
            )
        # A content is looked for by its hash and not by what it looks like compressed: a delta and a whole copy of one
        # page differ in their bytes, and the one that was there first stays.
        if self._connection.execute("SELECT 1 FROM blob WHERE hash = ?", (digest,)).fetchone() is None:
            self._connection.execute("INSERT INTO blob VALUES (?, ?)", (digest, squeezed(data)))
        return digest

    def get(self, digest: bytes, weight: int = 1) -> bytes:
        """Return a content; raises AlteredError if it is not what was stored, UserError if it is too large."""
        if self._kept is not None and digest in self._kept:
            return self._kept[digest]
        return self._checked(digest, self._stored(digest), weight)

    def read(self, digests: Collection[bytes]) -> None:
        """Read contents of an episode that are about to be asked for; raises what `get` does of those that are there.

        One query for all of them takes half as long as one for each.
        """
        for some in batched(digests, _AT_ONCE):
            query = f"SELECT hash, data FROM blob WHERE hash IN ({', '.join('?' * len(some))})"  # noqa: S608
            # One after the other from the cursor, so that never more is in memory than an episode may have.
            for digest, data in self._connection.execute(query, some):
                if self._kept is not None and digest not in self._kept:
                    self._checked(digest, data, 1)

    def _checked(self, digest: bytes, stored: bytes, weight: int) -> bytes:
        data = self._expanded(stored)
        # The hash is the name of the content, so a content that was edited no longer answers to it.
        if hash_of(data) != digest:
            raise AlteredError(f"content {digest.hex()} was changed")
        if not self._keep(digest, data, len(data) * weight):
            raise UserError(
                f"the pages and screenshots of an episode have more than {self._most_together} bytes together"
            )
        # The limits hold when a file is read as well: a stranger's file was not written by `put`.
        return data

    def text(self, digest: bytes) -> str:
        """Return a text; raises AlteredError if it is not what was stored."""
        text = self._texts.get(digest)
        if text is None:
            text = self.get(digest).decode()
            if self._kept is not None:
                self._texts[digest] = text
        return text

    def _stored(self, digest: bytes) -> bytes:
        row = self._connection.execute("SELECT data FROM blob WHERE hash = ?", (digest,)).fetchone()
        if row is None:
            raise AlteredError(f"content {digest.hex()} is missing")
        return bytes(row[0])

    def _expanded(self, data: bytes) -> bytes:
        """Return a content that was compressed here; nothing if it was not. Raises UserError if it is too large."""
        if (base := base_of(data)) is None:
            return self._decompressed(data, self._expand)
        if base not in self._bases:
            whole = self._stored(base)
            # Only a content that is stored whole can be a base, so there is never a second base to read.
            if base_of(whole) is not None:
                return b""
            text = self._decompressed(whole, self._expand)
            if len(text) > LARGEST_BASE:
                return b""
            # Contents of an episode have few bases, and come one after the other.
            if len(self._bases) >= BASES:
                del self._bases[next(iter(self._bases))]
            self._bases[base] = zstandard.ZstdDecompressor(dict_data=as_base(text))
        return self._decompressed(data[HEAD:], self._bases[base])

    def _decompressed(self, data: bytes, expand: zstandard.ZstdDecompressor) -> bytes:
        try:
            # We always write the size, and zstd makes room for what it says before it has read anything else.
            size = zstandard.frame_content_size(data)
            if size <= self._most:
                # A frame that does not say its size gives -1, and could expand to anything.
                return expand.decompress(data) if size >= 0 else b""
        except (zstandard.ZstdError, TypeError):
            # Empty data does not match the hash, so the caller reports damage of every kind with the same message.
            return b""
        raise UserError(f"a page or screenshot of the run has {size} bytes; the limit is {self._most}")

    def _keep(self, digest: bytes, data: bytes, size: int) -> bool:
        """Count a content of the episode under way, once; return whether it has room beside the others."""
        if self._kept is None or digest in self._kept:
            return True
        # `size` and not the length of the data: unpacked boxes take many times the bytes that are stored of them.
        self._taken += size
        self._kept[digest] = data
        return self._taken <= self._most_together
