"""Encoders of HTTP content codings, and bytes that barely compress."""

import gzip
import zlib
from collections.abc import Callable

import brotli
import zstandard

from stressweb.perturbations.content_coding import SLICE

NOISE = b"".join(zlib.crc32(b"%d" % number).to_bytes(4) for number in range(20 * SLICE // 4))
"""Incompressible bytes, so that the middle of the coded body is the middle of these."""


def bare(data: bytes) -> bytes:
    """Compress without zlib's header."""
    state = zlib.compressobj(wbits=-15)
    return state.compress(data) + state.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}
