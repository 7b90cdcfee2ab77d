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
_LETTER_OF_BYTE = bytes(ord(_LETTERS[byte & 31]) for byte in range(256))
# The prefix alone says of which document a token is, so that a page is read without trying all of them. Seven letters
# are 35 bits: a page of thousands of elements hardly ever draws one twice.
_PREFIX_LENGTH, _SUFFIX_LENGTH = 3, 7
_TOKEN = re.compile(rf"[a-z][a-z2-7]{{{_PREFIX_LENGTH + _SUFFIX_LENGTH - 1}}}")
_MOST_DOCUMENTS = 1024
# Cuts a stream into prefixes; one that begins with a digit gives an empty text.
_PREFIXES_AND_DIGITS = re.compile(rf"[2-7].{{{_PREFIX_LENGTH - 1}}}|([a-z].{{{_PREFIX_LENGTH - 1}}})")
_SUFFIXES = re.compile(f".{{{_SUFFIX_LENGTH}}}")
_SECOND_SEARCH_MINIMUM = 2048
# Pages bear the first tokens of their document, nearly all of them: looking only there halves the time of a short page.
_FIRST_SEARCH_MARGIN = 64
_LAST_READABLE = 16 * _SECOND_SEARCH_MINIMUM
"""Tokens of a document and kind that can still be read."""


class ElementKind(IntEnum):
    """What a marked element is: the site's own, a wrapper of ours around the site's, or a node of ours."""

    SITE = 0
    WRAPPER = 1
    ADDED = 2


class Marks:
    """Reads the marks of one episode; `key` is 16 to 64 secret bytes drawn from seed and cell."""

    def __init__(self, key: bytes) -> None:
        """Take the key of the episode."""
        self.key = key
        self._number_by_prefix: dict[str, int | None] = {}
        """Which document has a prefix, or None: what was looked up so far."""

    def on_page(self, class_attributes: Iterable[str | None]) -> "PageMarks":
        """Return the marks of one page; `class_attributes` are the class attributes of all its elements."""
        # By length alone first: on a page under stress nearly every class is a mark, and it is looked up anyway.
        candidates = {
            token
            for token in set(" ".join(filter(None, class_attributes)).split())
            if len(token) == _PREFIX_LENGTH + _SUFFIX_LENGTH
        }
        kind_by_token: dict[str, ElementKind] = {}
        tokens_by_prefix = defaultdict[str, set[str]](set)
        for token in candidates:
            tokens_by_prefix[token[:_PREFIX_LENGTH]].add(token)
        for prefix, tokens in tokens_by_prefix.items():
            if prefix not in self._number_by_prefix:
                self._number_by_prefix[prefix] = self._document_number(prefix)
            if (document_number := self._number_by_prefix[prefix]) is not None:
                kind_by_token.update(self._kinds_of(prefix, document_number, tokens))
        return PageMarks(kind_by_token)

    def _kinds_of(self, prefix: str, document_number: int, tokens: set[str]) -> dict[str, ElementKind]:
        """Return the kinds of a document's tokens; searches further where it was drawn anew again and again."""
        kinds = self._kinds_among_first(prefix, document_number, tokens, len(tokens) + _FIRST_SEARCH_MARGIN)
        if len(kinds) < len(tokens):
            # A class of the site that happens to begin like the marks must not have all streams searched for it.
            tokens = {token for token in tokens if _TOKEN.fullmatch(token)}
        if len(kinds) < len(tokens):
            # Twice as far as there are tokens: some that were made are not on the page any more.
            kinds = self._kinds_among_first(
                prefix, document_number, tokens, max(_SECOND_SEARCH_MINIMUM, 2 * len(tokens))
            )
        # What is left comes late in a stream, or is a class of the site that only looks like a token.
        for kind in ElementKind if len(kinds) < len(tokens) else ():
            stream = self._stream(document_number, kind, _LAST_READABLE)
            kinds.update(
                (token, kind)
                for token in tokens - kinds.keys()
                if _aligned_position(stream, token[_PREFIX_LENGTH:], _SUFFIX_LENGTH) >= 0
            )
        return kinds

    def _kinds_among_first(
        self, prefix: str, document_number: int, tokens: set[str], count: int
    ) -> dict[str, ElementKind]:
        """Return the kinds of those tokens that are among the first `count` of a document."""
        kinds, remaining = dict[str, ElementKind](), {token[_PREFIX_LENGTH:] for token in tokens}
        for kind in ElementKind:
            known = remaining.intersection(_SUFFIXES.findall(self._stream(document_number, kind, count)))
            kinds.update(dict.fromkeys([prefix + suffix for suffix in known], kind))
            # On many pages every element is the site's own.
            if not (remaining := remaining - known):
                break
        return kinds

    def _document_number(self, prefix: str) -> int | None:
        """Return which document has this prefix, or None: as `prefix` counts them, but without making all of them."""
        position = _aligned_position(self._prefix_stream, prefix, _PREFIX_LENGTH)
        if position < 0 or prefix[0] not in _LETTERS[:26]:
            return None
        # Nearly always one of the first few documents, before which there are few prefixes to count.
        document_number = len({*filter(None, _PREFIXES_AND_DIGITS.findall(self._prefix_stream, 0, position))})
        return document_number if document_number < _MOST_DOCUMENTS else None

    @cached_property
    def _prefixes(self) -> list[str]:
        return list(dict.fromkeys(filter(None, _PREFIXES_AND_DIGITS.findall(self._prefix_stream))))[:_MOST_DOCUMENTS]

    @cached_property
    def _prefix_stream(self) -> str:
        # Four times as many as are needed: about a fifth begins with a digit, and some come twice.
        return _as_letters(hashlib.shake_256(self.key + b"prefixes").digest(_PREFIX_LENGTH * 4 * _MOST_DOCUMENTS))

    def _stream(self, document_number: int, kind: ElementKind, count: int) -> str:
        start = self.key + b"%d:%d" % (document_number, kind)
        return _as_letters(hashlib.shake_256(start).digest(_SUFFIX_LENGTH * count))


class PageMarks:
    """The marks on one page."""

    def __init__(self, kind_by_token: dict[str, ElementKind]) -> None:
        """Take the kind of each token on the page."""
        self._kind_by_token = kind_by_token

    @property
    def our_tokens(self) -> frozenset[str]:
        """The marks of what is ours on the page: added nodes and wrappers."""
        return frozenset(token for token, kind in self._kind_by_token.items() if kind is not ElementKind.SITE)

    def kind(self, class_attribute: str | None) -> ElementKind | None:
        """Return the kind of the element with a class attribute, or None if it bears no mark."""
        for token in (class_attribute or "").split():
            if (kind := self._kind_by_token.get(token)) is not None:
                return kind
        return None


def _aligned_position(stream: str, piece: str, length: int) -> int:
    """Return where a piece of this length first stands in a stream, at a place where one begins; -1 if nowhere."""
    # By the search of strings: a set of so many pieces takes longer to make than a few of them take to be found.
    position = stream.find(piece)
    while position >= 0 and position % length:
        position = stream.find(piece, position + 1)
    return position


def _as_letters(data: bytes) -> str:
    return data.translate(_LETTER_OF_BYTE).decode("ascii")
