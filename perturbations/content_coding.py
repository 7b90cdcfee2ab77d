"""Decode the content coding of a response while it streams; of a damaged body, about as much as Chromium shows."""

import zlib
from collections.abc import Callable, Iterator, Sequence

import brotli
import zstandard

SLICE = 4_096
"""Bytes decoded at once, so that a small body that expands a thousandfold does not come in one piece."""

type _Decode = Callable[[bytes], bytes]


class Decoder:
    """Decodes one body. Bytes after the end of the coded data, or after damage, are dropped.

    Chromium shows a damaged body up to the last byte before the damage; this class drops the whole slice with the
    damage (such as a wrong gzip checksum).
    """

    def __init__(self, codings: Sequence[str]) -> None:
        """Take the codings in the order in which the server applied them; raises KeyError for one not in CODINGS."""
        self.damaged = False
        """Whether a part of the body could not be decoded."""
        self._decoders = [CODINGS[coding]() for coding in reversed(codings)]

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Decode the next chunk of the body, and yield it in pieces. Consume the iterator to its end."""
        yield from self._decoded(chunk, self._decoders)

    def _decoded(self, chunk: bytes, decoders: Sequence[_Decode]) -> Iterator[bytes]:
        if not decoders:
            yield chunk
            return
        for start in range(0, len(chunk), SLICE):
            if self.damaged:
                return
            try:
                decoded = decoders[0](chunk[start : start + SLICE])
            except (zlib.error, brotli.error, zstandard.ZstdError):
                self.damaged = True
                return
            if decoded:
                yield from self._decoded(decoded, decoders[1:])


def codings_of(header: str) -> list[str] | None:
    """Return the codings in a `Content-Encoding` header; None if one is unknown (then the bytes pass unchanged)."""
    codings = [name for part in header.split(",") if (name := part.strip().lower()) not in ("", "identity")]
    return codings if all(name in CODINGS for name in codings) else None


def _gzip() -> _Decode:
    # Decodes only the first member; browsers also ignore the bytes after it.
    return zlib.decompressobj(wbits=31).decompress


class _Deflate:
    """HTTP's `deflate`: by its specification in the zlib format, but many servers send raw deflate."""

    def __init__(self) -> None:
        self._head = b""
        self._inflate: _Decode | None = None

    def __call__(self, chunk: bytes) -> bytes:
        if self._inflate is None:
            # A zlib header (RFC 1950) has method 8, and its two bytes are a multiple of 31.
            self._head, chunk = b"", self._head + chunk
            if len(chunk) < 2:
                self._head = chunk
                return b""
            wrapped = chunk[0] & 15 == 8 and int.from_bytes(chunk[:2]) % 31 == 0
            self._inflate = zlib.decompressobj(wbits=15 if wrapped else -15).decompress
        return self._inflate(chunk)


def _brotli() -> _Decode:
    state = brotli.Decompressor()
    # The library raises for bytes after the end.
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
"""Constructors of the decoders, for all codings that a browser asks for."""
