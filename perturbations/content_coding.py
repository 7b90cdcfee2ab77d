"""Undo the content coding of a response as it streams by, and read as much of a damaged one as Chromium does."""

import zlib
from collections.abc import Callable, Iterator, Sequence

import brotli
import zstandard

SLICE = 4_096
"""Bytes that are decoded at once, so that a small body that grows a thousandfold does not come in one piece."""

type _Decode = Callable[[bytes], bytes]


class Decoder:
    """Undoes the codings of one body. What comes behind the end of the coded data, or behind damage, is dropped.

    Chromium shows the part of a body before damage, too, and does so to the last byte; of the slice that holds the
    damage (a gzip body's wrong checksum is one), this shows nothing.
    """

    def __init__(self, codings: Sequence[str]) -> None:
        """Take the codings in the order in which the server applied them; raises KeyError for one not in CODINGS."""
        self.damaged = False
        """Whether something could not be decoded."""
        self._steps = [CODINGS[coding]() for coding in reversed(codings)]

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what the next bytes of the body stand for, in pieces; take all of them."""
        yield from self._decoded(data, self._steps)

    def _decoded(self, data: bytes, steps: Sequence[_Decode]) -> Iterator[bytes]:
        if not steps:
            yield data
            return
        for at in range(0, len(data), SLICE):
            if self.damaged:
                return
            try:
                piece = steps[0](data[at : at + SLICE])
            except (zlib.error, brotli.error, zstandard.ZstdError):
                self.damaged = True
                return
            if piece:
                yield from self._decoded(piece, steps[1:])


def codings_of(header: str) -> list[str] | None:
    """Return the codings that a `Content-Encoding` header names; None if one is unknown: the bytes then pass as is."""
    named = [name for part in header.split(",") if (name := part.strip().lower()) not in ("", "identity")]
    return named if all(name in CODINGS for name in named) else None


def _gzip() -> _Decode:
    # The object stops at the end of the first member by itself; browsers ignore whatever follows.
    return zlib.decompressobj(wbits=31).decompress


class _Deflate:
    """HTTP's `deflate` is zlib's format by its specification, and the bare one by what many servers send."""

    def __init__(self) -> None:
        self._head = b""
        self._inflate: _Decode | None = None

    def __call__(self, data: bytes) -> bytes:
        if self._inflate is None:
            # The two bytes of zlib's header (RFC 1950): method 8, and a multiple of 31.
            self._head, data = b"", self._head + data
            if len(data) < 2:
                self._head = data
                return b""
            wrapped = data[0] & 15 == 8 and int.from_bytes(data[:2]) % 31 == 0
            self._inflate = zlib.decompressobj(wbits=15 if wrapped else -15).decompress
        return self._inflate(data)


def _brotli() -> _Decode:
    state = brotli.Decompressor()
    # Bytes behind the end would be an error to the library.
    return lambda data: b"" if state.is_finished() else bytes(state.process(data))


def _zstd() -> _Decode:
    # A body may be several frames (RFC 8878, section 3.1).
    return zstandard.ZstdDecompressor().decompressobj(read_across_frames=True).decompress


CODINGS: dict[str, Callable[[], _Decode]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _Deflate,
    "br": _brotli,
    "zstd": _zstd,
}
"""What makes a decoder of each coding that a browser asks for."""
