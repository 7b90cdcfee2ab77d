"""Keyed marks: one random-looking class token on every element, that only the key can read.

Without the key a token on one of our nodes and a token on the site's own look alike; with it, the recorded page alone
tells what was there and what was added, also after the page copied or re-rendered its own nodes.
"""

import hashlib
import re
from collections.abc import Iterator
from enum import IntEnum

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_NONCE = 5
_SIZE = 10
_SHAPE = re.compile(rf"[a-z][a-z2-7]{{{_SIZE - 1}}}")


class Kind(IntEnum):
    """What a marked element is: the site's own, a wrapper of ours around the site's, or a node of ours."""

    ORIGINAL = 0
    WRAPPER = 1
    ADDED = 2


class Marks:
    """Makes and reads the marks of one episode; `key` is 16 to 64 secret bytes drawn from seed and cell."""

    def __init__(self, key: bytes) -> None:
        """Take the key of the episode."""
        self._key = key

    def tokens(self, about: str) -> Iterator[tuple[str, str, str]]:
        """Yield fresh tokens without end, as (original, wrapper, added); the same ones for the same `about`."""
        block = 0
        while True:
            stream = hashlib.shake_256(self._key + b"%d:" % block + about.encode()).digest(_NONCE * 1024)
            for at in range(0, len(stream), _NONCE):
                nonce = _spell(stream[at : at + _NONCE])
                if not "2" <= nonce[0] <= "7":
                    macs = self._macs(nonce)
                    yield nonce + macs[:5], nonce + macs[5:10], nonce + macs[10:]
            block += 1

    def kind(self, classes: str | None) -> Kind | None:
        """Return what the class attribute of an element says, or None where it bears no mark."""
        for token in (classes or "").split():
            if len(token) == _SIZE and _SHAPE.fullmatch(token):
                at = self._macs(token[:_NONCE]).find(token[_NONCE:])
                if at % 5 == 0:
                    return Kind(at // 5)
        return None

    def _macs(self, nonce: str) -> str:
        """Return three authentication codes of five letters, one for each kind."""
        return _spell(hashlib.blake2b(nonce.encode(), key=self._key, digest_size=15).digest())


def _spell(data: bytes) -> str:
    return data.translate(_TABLE).decode("ascii")


_TABLE = bytes(ord(_LETTERS[byte & 31]) for byte in range(256))
