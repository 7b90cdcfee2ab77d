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
_SHAPED = re.compile(rf"[a-z][a-z2-7]{{{_PREFIX + _REST - 1}}}")
_DOCUMENTS = 1024
# Cuts a stream into prefixes; one that begins with a digit gives an empty text.
_CUT = re.compile(rf"[2-7].{{{_PREFIX - 1}}}|([a-z].{{{_PREFIX - 1}}})")
_PIECES = re.compile(f".{{{_REST}}}")
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
        self._documents: dict[str, int | None] = {}
        """Which document has a prefix, or None: what was looked up so far."""

    def reader(self, classes: Iterable[str | None]) -> "Reader":
        """Return what reads the marks of one page; `classes` are the class attributes of all its elements."""
        # By length alone first: on a page under stress nearly every class is a mark, and it is looked up anyway.
        candidates = {token for token in set(" ".join(filter(None, classes)).split()) if len(token) == _PREFIX + _REST}
        kinds: dict[str, Kind] = {}
        mine = defaultdict[str, set[str]](set)
        for token in candidates:
            mine[token[:_PREFIX]].add(token)
        for prefix, tokens in mine.items():
            if prefix not in self._documents:
                self._documents[prefix] = self._document(prefix)
            if (document := self._documents[prefix]) is not None:
                kinds.update(self._read(prefix, document, tokens))
        return Reader(kinds)

    def _read(self, prefix: str, document: int, tokens: set[str]) -> dict[str, Kind]:
        """Return the kinds of a document's tokens; further down its streams where it was drawn anew again and again."""
        kinds = self._among(prefix, document, tokens, len(tokens) + _NEAR)
        if len(kinds) < len(tokens):
            # A class of the site that happens to begin like the marks must not have all streams searched for it.
            tokens = {token for token in tokens if _SHAPED.fullmatch(token)}
        if len(kinds) < len(tokens):
            # Twice as far as there are tokens: some that were made are not on the page any more.
            kinds = self._among(prefix, document, tokens, max(_BLOCK, 2 * len(tokens)))
        # What is left comes late in a stream, or is a class of the site that only looks like a token.
        for kind in Kind if len(kinds) < len(tokens) else ():
            stream = self._stream(document, kind, _FARTHEST)
            kinds.update(
                (token, kind) for token in tokens - kinds.keys() if _place(stream, token[_PREFIX:], _REST) >= 0
            )
        return kinds

    def _among(self, prefix: str, document: int, tokens: set[str], count: int) -> dict[str, Kind]:
        """Return the kinds of those tokens that are among the first `count` of a document."""
        kinds, remaining = dict[str, Kind](), {token[_PREFIX:] for token in tokens}
        for kind in Kind:
            known = remaining.intersection(_PIECES.findall(self._stream(document, kind, count)))
            kinds.update(dict.fromkeys([prefix + rest for rest in known], kind))
            # On many pages every element is the site's own.
            if not (remaining := remaining - known):
                break
        return kinds

    def _document(self, prefix: str) -> int | None:
        """Return which document has this prefix, or None: as `prefix` counts them, but without making all of them."""
        position = _place(self._letters, prefix, _PREFIX)
        if position < 0 or prefix[0] not in _LETTERS[:26]:
            return None
        # Nearly always one of the first few documents, before which there are few prefixes to count.
        document = len({*filter(None, _CUT.findall(self._letters, 0, position))})
        return document if document < _DOCUMENTS else None

    @cached_property
    def _prefixes(self) -> list[str]:
        return list(dict.fromkeys(filter(None, _CUT.findall(self._letters))))[:_DOCUMENTS]

    @cached_property
    def _letters(self) -> str:
        # Four times as many as are needed: about a fifth begins with a digit, and some come twice.
        return _spell(hashlib.shake_256(self.key + b"prefixes").digest(_PREFIX * 4 * _DOCUMENTS))

    def _stream(self, document: int, kind: Kind, count: int) -> str:
        start = self.key + b"%d:%d" % (document, kind)
        return _spell(hashlib.shake_256(start).digest(_REST * count))


class Reader:
    """The marks on one page."""

    def __init__(self, kinds: dict[str, Kind]) -> None:
        """Take the kind of each token on the page."""
        self._kinds = kinds

    @property
    def added(self) -> frozenset[str]:
        """The marks of what is ours on the page: added nodes and wrappers."""
        return frozenset(token for token, kind in self._kinds.items() if kind is not Kind.ORIGINAL)

    def kind(self, classes: str | None) -> Kind | None:
        """Return what the class attribute of an element says, or None where it bears no mark."""
        for token in (classes or "").split():
            if (kind := self._kinds.get(token)) is not None:
                return kind
        return None


def _place(stream: str, piece: str, length: int) -> int:
    """Return where a piece of this length first stands in a stream, at a place where one begins; -1 if nowhere."""
    # By the search of strings: a set of so many pieces takes longer to make than a few of them take to be found.
    position = stream.find(piece)
    while position >= 0 and position % length:
        position = stream.find(piece, position + 1)
    return position


def _spell(data: bytes) -> str:
    return data.translate(_TABLE).decode("ascii")
