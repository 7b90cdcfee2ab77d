"""Pages, trees, boxes and pictures: each content stored once, compressed, under the hash of what it was."""

import sqlite3

import zstandard

from stressweb.errors import AlteredError
from stressweb.sealing import hash_of

_LEVEL = 3


class Blobs:
    """The contents of a run's database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Take the connection, which stays the caller's."""
        self._connection = connection
        self._squeeze = zstandard.ZstdCompressor(level=_LEVEL)
        self._expand = zstandard.ZstdDecompressor()

    def put(self, data: bytes) -> bytes:
        """Store a content, unless it is there, and return its hash."""
        digest = hash_of(data)
        if self._connection.execute("SELECT 1 FROM blob WHERE hash = ?", (digest,)).fetchone() is None:
            self._connection.execute("INSERT INTO blob VALUES (?, ?)", (digest, self._squeeze.compress(data)))
        return digest

    def put_text(self, text: str) -> bytes:
        """Store a text and return its hash."""
        return self.put(text.encode())

    def get(self, digest: bytes) -> bytes:
        """Return a content; raises AlteredError if it is not what was stored."""
        found = self._connection.execute("SELECT data FROM blob WHERE hash = ?", (digest,)).fetchone()
        if found is None:
            raise AlteredError(f"content {digest.hex()} is missing")
        try:
            data = self._expand.decompress(found[0])
        except (zstandard.ZstdError, TypeError):
            data = b""
        if hash_of(data) != digest:
            raise AlteredError(f"content {digest.hex()} was changed")
        return data

    def text(self, digest: bytes) -> str:
        """Return a text; raises AlteredError if it is not what was stored."""
        return self.get(digest).decode()
