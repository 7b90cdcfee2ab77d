"""Pages, trees, boxes and pictures: each content stored once, compressed, under the hash of what it was."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import zstandard

from stressweb.core.errors import AlteredError, TooLargeError, UserError
from stressweb.log.run_file import MOST
from stressweb.log.sealing import hash_of

TOGETHER = 512_000_000
"""Bytes that all contents of an episode may take together when they are read, equal ones counted once."""
_LEVEL = 3


class Blobs:
    """The contents of a run's database. What is too large to be read again is not written either."""

    def __init__(self, connection: sqlite3.Connection, most: int = MOST, together: int = TOGETHER) -> None:
        """Take the connection, which stays the caller's, and the bytes that one and all of an episode may have."""
        self._connection = connection
        self._most, self._most_together = most, together
        self._squeeze = zstandard.ZstdCompressor(level=_LEVEL)
        self._expand = zstandard.ZstdDecompressor()
        self._kept: dict[bytes, bytes] | None = None
        self._texts: dict[bytes, str] = {}
        self._taken = 0

    @contextmanager
    def together(self) -> Iterator[None]:
        """Count what the body reads and writes against what one episode may have; equal contents are read once."""
        self._kept, self._texts, self._taken = {}, {}, 0
        try:
            yield
        finally:
            self._kept, self._texts = None, {}

    def put(self, data: bytes, weight: int = 1) -> bytes:
        """Store a content, unless it is there, and return its hash; raises TooLargeError.

        `weight` is how many bytes each of its bytes takes when it is read.
        """
        digest = hash_of(data)
        if len(data) > self._most:
            raise TooLargeError(f"a page or screenshot has {len(data)} bytes; the limit is {self._most}")
        if not self._keep(digest, data, len(data) * weight):
            raise TooLargeError(
                f"the pages and screenshots of an episode have more than {self._most_together} bytes together"
            )
        if self._connection.execute("SELECT 1 FROM blob WHERE hash = ?", (digest,)).fetchone() is None:
            self._connection.execute("INSERT INTO blob VALUES (?, ?)", (digest, self._squeeze.compress(data)))
        return digest

    def put_text(self, text: str) -> bytes:
        """Store a text and return its hash; raises TooLargeError."""
        return self.put(text.encode())

    def get(self, digest: bytes, weight: int = 1) -> bytes:
        """Return a content; raises AlteredError if it is not what was stored, UserError if it is too large."""
        if self._kept is not None and digest in self._kept:
            return self._kept[digest]
        found = self._connection.execute("SELECT data FROM blob WHERE hash = ?", (digest,)).fetchone()
        if found is None:
            raise AlteredError(f"content {digest.hex()} is missing")
        data = self._expanded(found[0])
        # The hash is the name of the content, so a content that was edited no longer answers to it.
        if hash_of(data) != digest:
            raise AlteredError(f"content {digest.hex()} was changed")
        if not self._keep(digest, data, len(data) * weight):
            raise UserError(
                f"the pages and screenshots of an episode have more than {self._most_together} bytes together"
            )
        return data

    def text(self, digest: bytes) -> str:
        """Return a text; raises AlteredError if it is not what was stored."""
        found = self._texts.get(digest)
        if found is None:
            found = self.get(digest).decode()
            if self._kept is not None:
                self._texts[digest] = found
        return found

    def _expanded(self, data: bytes) -> bytes:
        """Return a content that was compressed here; nothing if it was not. Raises UserError if it is too large."""
        try:
            # We always write the size, and zstd makes room for what it says before it has read anything else.
            size = zstandard.frame_content_size(data)
            if size <= self._most:
                return self._expand.decompress(data) if size >= 0 else b""
        except (zstandard.ZstdError, TypeError):
            return b""
        raise UserError(f"a page or screenshot of the run has {size} bytes; the limit is {self._most}")

    def _keep(self, digest: bytes, data: bytes, size: int) -> bool:
        """Count a content of the episode under way, once; return whether it has room beside the others."""
        if self._kept is None or digest in self._kept:
            return True
        self._taken += size
        self._kept[digest] = data
        return self._taken <= self._most_together
