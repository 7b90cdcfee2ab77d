"""Insert one script into a streamed document, without parsing or serialising it.

The script comes before all scripts of the page, at a place where it does not affect the browser's parser: once it has
removed itself, the document has no trace of it. The place follows from "The rules for parsing tokens in HTML content"
of the HTML Standard: white space, comments, doctypes and some end tags may come before the head without opening it, and
the script goes after them.

Limitation: if neither header nor document declares a character set, the browser guesses one from the first bytes, which
include the script.
"""

import re
from enum import Enum

LIMIT = 65_536
"""The place must be within these first bytes of a document; a document with a longer preamble gets no script."""
_PRESCAN = 1_024
"""Browsers search these first bytes of a document for a declaration of its character set, in any markup."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
# The labels of encoding.spec.whatwg.org.
_UTF_16 = dict.fromkeys(
    ("utf-16", "utf-16le", "unicode", "ucs-2", "csunicode", "iso-10646-ucs-2", "unicodefeff"), "utf-16le"
) | dict.fromkeys(("utf-16be", "unicodefffe"), "utf-16be")
_UNDECODABLE = frozenset(("replacement", "csiso2022kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext", "iso-2022-kr"))
_WITH_ESCAPES = frozenset(("iso-2022-jp", "csiso2022jp"))

# Browsers ignore a NUL before the head as they ignore white space.
_SPACE = re.compile(rb"[\0\t\n\f\r ]+")
_SPACE_REFERENCE = re.compile(
    rb"&(?:#0*(?:9|10|12|13|32)(?![0-9]);?|#[xX]0*(?:9|[aAcCdD]|20)(?![0-9A-Fa-f]);?|Tab;|NewLine;)"
)
_OPEN_REFERENCE = re.compile(rb"&#?[0-9A-Za-z]*\Z")
_NAME = re.compile(rb"[A-Za-z][^\t\n\f\r />]*")
# Possessive quantifiers: with backtracking, an open quote would match as part of a name, and a `>` in it as the end.
_TAG_REST = re.compile(
    rb"""(?:[\t\n\f\r /]++
          |[^\t\n\f\r />][^\t\n\f\r />=]*+
           (?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"[^"]*+"|'[^']*+'|[^\t\n\f\r >"'][^\t\n\f\r >]*+|(?=>))
             |(?![\t\n\f\r ]*+(?:=|\Z)))
         )*+>""",
    re.VERBOSE,
)
"""The rest of a tag after its name; no match until the tag is complete."""
_PROLOG = re.compile(rb"(?:[\t\n\r ]++|<\?.*?\?>|<!--.*?-->|<![^\[>-][^\[>]*+>)*+", re.DOTALL)
_SPACE_OR_END = re.compile(rb"[\t\n\r />]")
_UNFINISHED_PROLOG = re.compile(rb"\Z|<\?|<!--|<![^\[]*\Z|<(?:h(?:tm?)?)?\Z|<html(?:[\t\n\r /]|\Z)")
"""A possibly incomplete start of another part of the prolog, or of the root element."""
_COMMENT_END = re.compile(rb"--!?>")
_META_CHARSET = re.compile(rb"<meta[\t\n\f\r /][^>]*charset", re.IGNORECASE)
_BODY_TAG = re.compile(
    rb"<(?!(?:script|noscript|style|link|meta|object|title|base|html|head)[\t\n\f\r />])[a-z]", re.IGNORECASE
)
_ACTING_ENDS = frozenset((b"html", b"head", b"body", b"br"))
"""End tags that open the head; the parser ignores all others before it."""


class Unfit(Enum):
    """Why a document gets no script; its bytes pass unchanged."""

    EMPTY = "it is empty"
    CHARSET = "no script can be written in its character set"
    DECLARED_LATE = "its character set is declared after the head"
    LONG = "its head does not begin within the first 64 KiB"
    BROKEN = "it ends before its head begins"
    NO_ROOT = "its root is not an html element"


class Inserter:
    """Inserts a script into one document: `feed` it the bytes in pieces of any size, then call `finish`."""

    def __init__(self, script: str, charset: str | None = None, *, xml: bool = False) -> None:
        """Take a whole script element, and the character set that the HTTP header declares, if any.

        `xml`: document and script element are XHTML. Raises ValueError for a script that is not ASCII, because it must
        mean the same in every character set.
        """
        if not script.isascii():
            raise ValueError("a script to be inserted must be ASCII")
        self.inserted = False
        """Whether the bytes returned so far contain the script."""
        self.unfit: Unfit | None = None
        """Why the document gets no script; None if undecided or if it gets one."""
        self._script = script
        self._charset = (charset or "").strip().lower() or None
        self._xml = xml
        self._buffer: bytearray | None = bytearray()

    def feed(self, chunk: bytes) -> bytes:
        """Return the bytes to pass on: none until the place is found, then all."""
        if self._buffer is None:
            return chunk
        self._buffer += chunk
        return self._output(ended=False)

    def finish(self) -> bytes:
        """Return the remaining bytes at the end of the document."""
        return b"" if self._buffer is None else self._output(ended=True)

    def _output(self, *, ended: bool) -> bytes:
        assert self._buffer is not None
        # Bytes after the limit must not matter, or the result would depend on the size of the pieces.
        position = self._find_position(bytes(self._buffer[:LIMIT]), ended=ended and len(self._buffer) <= LIMIT)
        if position is None and len(self._buffer) >= LIMIT:
            position = Unfit.LONG
        if position is None:
            return b""
        document, self._buffer = bytes(self._buffer), None
        if isinstance(position, Unfit):
            self.unfit = position
            return document
        offset, codec = position
        self.inserted = True
        return document[:offset] + self._script.encode(codec) + document[offset:]

    def _find_position(self, document: bytes, *, ended: bool) -> tuple[int, str] | Unfit | None:
        """Return the offset of the script and its codec; None if more bytes are needed."""
        # Four bytes suffice to recognise a byte order mark, or UTF-16 without a declaration.
        if len(document) < 4 and not ended:
            return None
        if not document:
            return Unfit.EMPTY
        # The byte order mark overrides the header.
        bom, charset = next(
            ((bom, name) for bom, name in _BOMS if document.startswith(bom)), (b"", self._charset or "")
        )
        codec = _UTF_16.get(charset, "ascii")
        if charset in _UNDECODABLE or (codec == "ascii" and b"\0" in document[:4]):
            return Unfit.CHARSET
        text = _units(document, codec)
        start = len(bom) // 2 if codec != "ascii" else len(bom)
        if not charset and (is_late := self._declared_late(text, ended=ended)) is not False:
            return Unfit.DECLARED_LATE if is_late else None
        offset = (xml_position if self._xml else html_position)(text, start, ended=ended)
        if not isinstance(offset, int):
            return offset
        # After an escape sequence, ASCII bytes may stand for other characters.
        if charset in _WITH_ESCAPES and b"\x1b" in document[:offset]:
            return Unfit.CHARSET
        return (2 * offset if codec != "ascii" else offset), codec

    def _declared_late(self, text: bytes, *, ended: bool) -> bool | None:
        """Return whether an inserted script would hide the declaration of the charset; None: more bytes needed.

        After the first 1,024 bytes, browsers search on only as long as all elements belong to a head.
        """
        if self._xml:
            return False
        if len(text) < _PRESCAN and not ended:
            return None
        declared = _META_CHARSET.search(text, 0, _PRESCAN)
        return bool(declared and _BODY_TAG.search(text, 0, declared.start()))


def html_position(text: bytes, offset: int = 0, *, ended: bool = False) -> int | Unfit | None:
    """Return the position in an HTML document at which a script leaves no trace, searching from `offset` on.

    That is right after `<head>` or, without one, before the token that opens the head. None if more bytes are needed;
    `ended`: the document is complete.
    """
    while True:
        if space := _SPACE.match(text, offset):
            offset = space.end()
        if offset == len(text) or (not ended and _OPEN_REFERENCE.match(text, offset)):
            return offset if ended else None
        step = _step(text, offset)
        if step is None:
            return Unfit.BROKEN if ended else None
        end, is_position = step
        if is_position:
            return end
        offset = end


def xml_position(text: bytes, offset: int = 0, *, ended: bool = False) -> int | Unfit | None:
    """Return the position after the start tag of an XHTML document's root, searching from `offset` on.

    Doctypes that declare entities are not parsed; such a document gets no script. None and `ended` as in
    `html_position`.
    """
    if prolog := _PROLOG.match(text, offset):
        offset = prolog.end()
    root = text.startswith(b"<html", offset) and _TAG_REST.match(text, offset + len(b"<html"))
    if root and _SPACE_OR_END.match(text, offset + len(b"<html")) and not root[0].endswith(b"/>"):
        return root.end()
    if root or not _UNFINISHED_PROLOG.match(text, offset):
        return Unfit.NO_ROOT
    return Unfit.BROKEN if ended else None


def _step(text: bytes, offset: int) -> tuple[int, bool] | None:
    """Return a position, and whether the script belongs there or the search goes on; None if more bytes are needed."""
    # A character reference to white space counts as white space.
    if reference := _SPACE_REFERENCE.match(text, offset):
        return reference.end(), False
    if text[offset : offset + 1] != b"<":
        return offset, True
    lead = text[offset + 1 : offset + 2]
    if not lead:
        return None
    if lead == b"!":
        return _skip_to(_declaration_end(text, offset))
    if lead == b"?":
        return _skip_to(_end_of(text, b">", offset))
    if lead == b"/":
        return _end_tag(text, offset)
    # A `<` before anything but a letter is text.
    name = _NAME.match(text, offset + 1)
    return _start_tag(text, offset, name[0].lower(), name.end()) if name else (offset, True)


def _start_tag(text: bytes, offset: int, name: bytes, end: int) -> tuple[int, bool] | None:
    if end == len(text) and len(name) <= len(b"html"):
        return None
    if name not in (b"html", b"head"):
        return offset, True
    rest = _TAG_REST.match(text, end)
    return (rest.end(), name == b"head") if rest else None


def _end_tag(text: bytes, offset: int) -> tuple[int, bool] | None:
    name = _NAME.match(text, offset + 2)
    if name is None:
        # `</` is text at the end of the document, and begins a comment before anything but a letter.
        return _skip_to(_end_of(text, b">", offset))
    if name.end() == len(text):
        return None
    if name[0].lower() in _ACTING_ENDS:
        return offset, True
    rest = _TAG_REST.match(text, name.end())
    return _skip_to(rest.end() if rest else None)


def _declaration_end(text: bytes, offset: int) -> int | None:
    """Return the end of a comment, a doctype, or a bogus comment."""
    if not text.startswith(b"<!--", offset):
        # An incomplete `<!--` must not be treated as a doctype, which ends at its first `>`.
        return None if b"<!--".startswith(text[offset:]) else _end_of(text, b">", offset)
    for short in (b">", b"->"):
        if text.startswith(short, offset + 4):
            return offset + 4 + len(short)
    end = _COMMENT_END.search(text, offset + 4)
    return end.end() if end else None


def _skip_to(end: int | None) -> tuple[int, bool] | None:
    return None if end is None else (end, False)


def _end_of(text: bytes, end: bytes, offset: int) -> int | None:
    start = text.find(end, offset)
    return None if start < 0 else start + len(end)


def _units(document: bytes, codec: str) -> bytes:
    """Return one byte for each code unit: its ASCII character, or 0xFF."""
    if codec == "ascii":
        return document
    low, high = (document[0::2], document[1::2]) if codec == "utf-16le" else (document[1::2], document[0::2])
    # Half a unit at the end waits for the next bytes.
    return bytes(
        low_byte if not high_byte and low_byte < 0x80 else 0xFF for low_byte, high_byte in zip(low, high, strict=False)
    )
