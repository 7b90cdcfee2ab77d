"""The marks in recordings of earlier engines: one random-looking class token on every element, that only the key reads.

With the key the recorded page alone tells what was there and what was added. A token is the prefix of one served
document, shared by all its tokens, and seven letters from the stream of a kind (SHAKE-256 of key, document and kind):
one hash serves a whole page.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from enum import IntEnum
from functools import cached_property

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
# 256 is a multiple of 32, so that every letter is as likely as any other.
_TABLE = bytes(ord(_LETTERS[byte & 31]) for byte in range(256))
# The prefix alone says of which document a token is, so that a page is read without trying all of them. Seven letters
# are 35 bits: a page of thousands of elements hardly ever draws one twice.
_PREFIX, _REST = 3, 7
# Most classes of a site do not fit, and are dropped before anything is hashed.
_SHAPED = re.compile(rf"(?<!\S)[a-z][a-z2-7]{{{_PREFIX + _REST - 1}}}(?!\S)")
_DOCUMENTS = 1024
# Cuts a stream into prefixes; one that begins with a digit gives an empty text.
_CUT = re.compile(rf"[2-7].{{{_PREFIX - 1}}}|([a-z].{{{_PREFIX - 1}}})")
_BLOCK = 2048
# Pages bear the first tokens of their document, nearly all of them: looking only there halves the time of a short page.
_NEAR = 64
_FARTHEST = 16 * _BLOCK
"""Tokens of a document and kind that can still be read."""


class Kind(IntEnum):
    """What a marked element is: the site's own, a wrapper of ours around the site's, or a node of ours."""

    ORIGINAL = 0
    WRAPPER = 1
    ADDED = 2


class Marks:
    """Reads the marks of one episode; `key` is 16 to 64 secret bytes drawn from seed and cell."""

    def __init__(self, key: bytes) -> None:
        """Take the key of the episode."""
        self.key = key

    def reader(self, classes: Iterable[str | None]) -> "Reader":
        """Return what reads the marks of one page; `classes` are the class attributes of all its elements."""
        found = set(_SHAPED.findall(" ".join(filter(None, classes))))
        kinds: dict[str, Kind] = {}
        mine = defaultdict[str, set[str]](set)
        for token in found:
            mine[token[:_PREFIX]].add(token)
        for prefix in mine.keys() & self._documents.keys():
            kinds.update(self._read(self._documents[prefix], mine[prefix]))
        return Reader(kinds)

    def _read(self, document: int, tokens: set[str]) -> dict[str, Kind]:
        """Return the kinds of a document's tokens; further down its streams where it was drawn anew again and again."""
        kinds = self._among(document, tokens, len(tokens) + _NEAR)
        if len(kinds) < len(tokens):
            # Twice as far as there are tokens: some that were made are not on the page any more.
            kinds = self._among(document, tokens, max(_BLOCK, 2 * len(tokens)))
        # What is left comes late in a stream, or is a class of the site that only looks like a token.
        for kind in Kind if len(kinds) < len(tokens) else ():
            stream = self._stream(document, kind, _FARTHEST)
            kinds.update((token, kind) for token in tokens - kinds.keys() if _holds(stream, token[_PREFIX:]))
        return kinds

    def _among(self, document: int, tokens: set[str], count: int) -> dict[str, Kind]:
        """Return the kinds of those tokens that are among the first `count` of a document."""
        prefix, kinds, left = self._prefixes[document], dict[str, Kind](), tokens
        for kind in Kind:
            stream = self._stream(document, kind, count)
            known = left.intersection([prefix + stream[at : at + _REST] for at in range(0, len(stream), _REST)])
            kinds.update(dict.fromkeys(known, kind))
            # On many pages every element is the site's own.
            if not (left := left - known):
                break
        return kinds

    @cached_property
    def _documents(self) -> dict[str, int]:
        return {prefix: document for document, prefix in enumerate(self._prefixes)}

    @cached_property
    def _prefixes(self) -> list[str]:
        # Four times as many as are needed: about a fifth begins with a digit, and some come twice.
        stream = _spell(hashlib.shake_256(self.key + b"prefixes").digest(_PREFIX * 4 * _DOCUMENTS))
        return list(dict.fromkeys(filter(None, _CUT.findall(stream))))[:_DOCUMENTS]

    def _stream(self, document: int, kind: Kind, count: int) -> str:
        start = self.key + b"%d:%d" % (document, kind)
        return _spell(hashlib.shake_256(start).digest(_REST * count))


class Reader:
    """The marks on one page."""

    def __init__(self, kinds: dict[str, Kind]) -> None:
        """Take the kind of each token on the page."""
        self._kinds = kinds

    @property
    def added_to(self) -> bool:
        """Whether anything on the page is ours."""
        return any(kind is not Kind.ORIGINAL for kind in self._kinds.values())

    def kind(self, classes: str | None) -> Kind | None:
        """Return what the class attribute of an element says, or None where it bears no mark."""
        for token in (classes or "").split():
            if (kind := self._kinds.get(token)) is not None:
                return kind
        return None


def _holds(stream: str, rest: str) -> bool:
    """Return whether a token's rest stands in a stream, at a place where one begins."""
    # By the search of strings: a set of so many tokens takes longer to make than a few of them take to be found.
    at = stream.find(rest)
    while at >= 0 and at % _REST:
        at = stream.find(rest, at + 1)
    return at >= 0


def _spell(data: bytes) -> str:
    return data.translate(_TABLE).decode("ascii")
