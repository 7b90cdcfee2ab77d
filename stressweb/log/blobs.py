"""Pages, trees, boxes and pictures: each content is stored once, compressed, under its hash."""

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
"""Bytes that all contents of an episode may have together when they are read; equal contents count once."""
_LEVEL = 3
_AT_ONCE = 500
"""Contents per query; SQLite allows many more."""


class Blobs:
    """The contents of a run's database. Contents that are too large to be read again are not written."""

    def __init__(self, connection: sqlite3.Connection, most: int = MOST, together: int = TOGETHER) -> None:
        """Take the caller's connection, and the size limits in bytes of one content and of all contents of an
        episode."""
        self._connection = connection
        self._most, self._most_together = most, together
        self._squeeze = zstandard.ZstdCompressor(level=_LEVEL)
        self._decompressor = zstandard.ZstdDecompressor()
        # Replaced for each episode by `together`: the bases of a rolled-back episode are not in the database.
        self._deltas = Deltas(self._squeeze)
        # None outside of an episode: then nothing is counted and nothing is cached.
        self._contents: dict[bytes, bytes] | None = None
        self._texts: dict[bytes, str] = {}
        self._total_size = 0
        self._bases: dict[bytes, zstandard.ZstdDecompressor] = {}

    @contextmanager
    def together(self) -> Iterator[None]:
        """Apply the size limit of an episode to all reads and writes of the body; equal contents are read once."""
        self._contents, self._texts, self._total_size = {}, {}, 0
        self._deltas = Deltas(self._squeeze)
        try:
            yield
        finally:
            # The expanded pages of an episode may take half a gigabyte, so they are dropped before the next one is
            # read.
            self._contents, self._texts = None, {}

    def put(self, data: bytes, weight: int = 1) -> bytes:
        """Store a content, unless it is stored already, and return its hash; raises TooLargeError.

        `weight` is the memory, in bytes, that each of its bytes takes when it is read.
        """
        return self._put(data, weight, self._squeeze.compress)

    def put_text(self, text: str) -> bytes:
        """Store a text and return its hash; raises TooLargeError.

        Pages of an episode resemble each other, so most are stored as differences from an earlier one.
        """
        # Within a transaction only: a delta must never outlive its base.
        return self._put(text.encode(), 1, self._squeeze.compress if self._contents is None else self._deltas.squeezed)

    def _put(self, data: bytes, weight: int, squeezed: Callable[[bytes], bytes]) -> bytes:
        digest = hash_of(data)
        # Checked before compressing, so that an oversized page does not cost time.
        if len(data) > self._most:
            raise TooLargeError(f"a page or screenshot has {len(data)} bytes; the limit is {self._most}")
        # Counted even if it is stored already, because reading the episode loads it all the same.
        if not self._keep(digest, data, len(data) * weight):
            raise TooLargeError(
                f"the pages and screenshots of an episode have more than {self._most_together} bytes together"
            )
        # Contents are looked up by hash, not by compressed bytes: a delta and a whole copy of one page differ in their
        # bytes.
        if self._connection.execute("SELECT 1 FROM blob WHERE hash = ?", (digest,)).fetchone() is None:
            self._connection.execute("INSERT INTO blob VALUES (?, ?)", (digest, squeezed(data)))
        return digest

    def get(self, digest: bytes, weight: int = 1) -> bytes:
        """Return a content; raises AlteredError if it was changed, UserError if it is too large."""
        if self._contents is not None and digest in self._contents:
            return self._contents[digest]
        return self._expand_and_check(digest, self._stored_bytes(digest), weight)

    def read(self, digests: Collection[bytes]) -> None:
        """Prefetch contents of an episode; raises what `get` raises, for those that exist.

        One query for all takes half as long as one query each.
        """
        for some in batched(digests, _AT_ONCE):
            query = f"SELECT hash, data FROM blob WHERE hash IN ({', '.join('?' * len(some))})"  # noqa: S608
            # Row by row, so that memory never holds more than an episode may have.
            for digest, data in self._connection.execute(query, some):
                if self._contents is not None and digest not in self._contents:
                    self._expand_and_check(digest, data, 1)

    def _expand_and_check(self, digest: bytes, stored: bytes, weight: int) -> bytes:
        data = self._expand(stored)
        # The hash is the name of the content, so an edited content no longer matches it.
        if hash_of(data) != digest:
            raise AlteredError(f"content {digest.hex()} was changed")
        if not self._keep(digest, data, len(data) * weight):
            raise UserError(
                f"the pages and screenshots of an episode have more than {self._most_together} bytes together"
            )
        # The limits apply to reading as well: an untrusted file was not written by `put`.
        return data

    def text(self, digest: bytes) -> str:
        """Return a text; raises AlteredError if it was changed."""
        text = self._texts.get(digest)
        if text is None:
            text = self.get(digest).decode()
            if self._contents is not None:
                self._texts[digest] = text
        return text

    def _stored_bytes(self, digest: bytes) -> bytes:
        row = self._connection.execute("SELECT data FROM blob WHERE hash = ?", (digest,)).fetchone()
        if row is None:
            raise AlteredError(f"content {digest.hex()} is missing")
        return bytes(row[0])

    def _expand(self, data: bytes) -> bytes:
        """Return a decompressed content, or nothing if it was not compressed here. Raises UserError if it is too
        large."""
        if (base := base_of(data)) is None:
            return self._decompress(data, self._decompressor)
        if base not in self._bases:
            whole = self._stored_bytes(base)
            # Only whole contents can be bases, so there is never a second base to read.
            if base_of(whole) is not None:
                return b""
            text = self._decompress(whole, self._decompressor)
            if len(text) > LARGEST_BASE:
                return b""
            # Contents of an episode have few bases and are read in order, so the oldest base can go.
            if len(self._bases) >= BASES:
                del self._bases[next(iter(self._bases))]
            self._bases[base] = zstandard.ZstdDecompressor(dict_data=as_base(text))
        return self._decompress(data[HEAD:], self._bases[base])

    def _decompress(self, data: bytes, expand: zstandard.ZstdDecompressor) -> bytes:
        try:
            # We always write the size, and zstd allocates that much memory before it reads anything else.
            size = zstandard.frame_content_size(data)
            if size <= self._most:
                # A frame without a size gives -1 and could expand to anything.
                return expand.decompress(data) if size >= 0 else b""
        except (zstandard.ZstdError, TypeError):
            # Empty data does not match the hash, so the caller reports every kind of damage with the same message.
            return b""
        raise UserError(f"a page or screenshot of the run has {size} bytes; the limit is {self._most}")

    def _keep(self, digest: bytes, data: bytes, size: int) -> bool:
        """Count a content of the current episode, once; return whether it fits beside the others."""
        if self._contents is None or digest in self._contents:
            return True
        # Not the length of the data: unpacked boxes take many times their stored bytes.
        self._total_size += size
        self._contents[digest] = data
        return self._total_size <= self._most_together
