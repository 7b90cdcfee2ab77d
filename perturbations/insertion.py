"""Insert one script into a document as it streams by: nothing is parsed into a tree, and nothing is written anew.

The script comes before every script of the page's own, and where it changes nothing else that the browser's parser
does: once it has removed itself, the document has no trace of it. The HTML Standard says where, in "The rules for
parsing tokens in HTML content": white space, comments, doctypes and some end tags come before the head without bringing
it into being, so that the script goes behind them.

One thing is beyond it. Where neither header nor document declares a character set, the browser guesses one from the
first bytes, and the script is among these.
"""

import re
from enum import Enum

LIMIT = 65_536
"""Bytes of a document in which the place must be; a longer preamble gets no script."""
_PRESCAN = 1_024
"""Bytes of a document in which browsers look for a declaration of its character set wherever it stands."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
# The labels of encoding.spec.whatwg.org.
_UTF_16 = dict.fromkeys(
    ("utf-16", "utf-16le", "unicode", "ucs-2", "csunicode", "iso-10646-ucs-2", "unicodefeff"), "utf-16le"
) | dict.fromkeys(("utf-16be", "unicodefffe"), "utf-16be")
_REPLACED = frozenset(("replacement", "csiso2022kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext", "iso-2022-kr"))
_SHIFTED = frozenset(("iso-2022-jp", "csiso2022jp"))

# Browsers drop a NUL before the head like a blank; what follows it still comes before the head.
_SPACE = re.compile(rb"[\0\t\n\f\r ]+")
_SPACE_REFERENCE = re.compile(
    rb"&(?:#0*(?:9|10|12|13|32)(?![0-9]);?|#[xX]0*(?:9|[aAcCdD]|20)(?![0-9A-Fa-f]);?|Tab;|NewLine;)"
)
_OPEN_REFERENCE = re.compile(rb"&#?[0-9A-Za-z]*\Z")
_NAME = re.compile(rb"[A-Za-z][^\t\n\f\r />]*")
# Quantifiers that never give back: else an open quote would be read as part of a name, and `>` in it as the end.
_REST = re.compile(
    rb"""(?:[\t\n\f\r /]++
          |[^\t\n\f\r />][^\t\n\f\r />=]*+
           (?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"[^"]*+"|'[^']*+'|[^\t\n\f\r >"'][^\t\n\f\r >]*+|(?=>))
             |(?![\t\n\f\r ]*+(?:=|\Z)))
         )*+>""",
    re.VERBOSE,
)
"""What is left of a tag behind its name; no match: its end has not come."""
_PROLOG = re.compile(rb"(?:[\t\n\r ]++|<\?.*?\?>|<!--.*?-->|<![^\[>-][^\[>]*+>)*+", re.DOTALL)
_SPACE_OR_END = re.compile(rb"[\t\n\r />]")
_OPEN = re.compile(rb"\Z|<\?|<!--|<![^\[]*\Z|<(?:h(?:tm?)?)?\Z|<html(?:[\t\n\r /]|\Z)")
"""What may still become a part of the prolog, or the root."""
_COMMENT_END = re.compile(rb"--!?>")
_META_CHARSET = re.compile(rb"<meta[\t\n\f\r /][^>]*charset", re.IGNORECASE)
_BODY_TAG = re.compile(
    rb"<(?!(?:script|noscript|style|link|meta|object|title|base|html|head)[\t\n\f\r />])[a-z]", re.IGNORECASE
)
_ACTING_ENDS = frozenset((b"html", b"head", b"body", b"br"))
"""End tags that bring the head into being; all others are ignored up to there."""


class Unfit(Enum):
    """Why a document gets no script; its bytes pass unchanged."""

    EMPTY = "it is empty"
    CHARSET = "no script can be written in its character set"
    DECLARED_LATE = "its character set is declared behind the head"
    LONG = "its head does not begin within the first 64 KiB"
    BROKEN = "it ends before its head begins"
    NO_ROOT = "its root is no html element"


class Inserter:
    """Inserts a script into one document. `feed` it the bytes in any pieces, then `finish`: the output is the same."""

    def __init__(self, script: str, charset: str | None = None, *, xml: bool = False) -> None:
        """Take a whole script element, ASCII alone, and the character set that the HTTP header declares, if any.

        `xml`: the document is XHTML, and so must the script element be. Raises ValueError for a script that is not
        ASCII: it must read the same in every character set.
        """
        if not script.isascii():
            raise ValueError("a script to be inserted must be ASCII")
        self.inserted = False
        """Whether the script is in what was returned so far."""
        self.unfit: Unfit | None = None
        """Why there is none and never will be."""
        self._script = script
        self._charset = (charset or "").strip().lower() or None
        self._xml = xml
        self._held: bytearray | None = bytearray()

    def feed(self, data: bytes) -> bytes:
        """Return what can be passed on so far: nothing until the place is found, and everything after that."""
        if self._held is None:
            return data
        self._held += data
        return self._passed(ended=False)

    def finish(self) -> bytes:
        """Return what is left when the document has ended."""
        return b"" if self._held is None else self._passed(ended=True)

    def _passed(self, *, ended: bool) -> bytes:
        assert self._held is not None
        # Nothing behind the limit may count, or the result would depend on the size of the pieces.
        found = self._place(bytes(self._held[:LIMIT]), ended=ended and len(self._held) <= LIMIT)
        if found is None and len(self._held) >= LIMIT:
            found = Unfit.LONG
        if found is None:
            return b""
        data, self._held = bytes(self._held), None
        if isinstance(found, Unfit):
            self.unfit = found
            return data
        at, codec = found
        self.inserted = True
        return data[:at] + self._script.encode(codec) + data[at:]

    def _place(self, data: bytes, *, ended: bool) -> tuple[int, str] | Unfit | None:
        """Return the offset of the script and its codec; None as long as more bytes are needed."""
        # Four bytes tell of a byte order mark, and of UTF-16 that nothing declares.
        if len(data) < 4 and not ended:
            return None
        if not data:
            return Unfit.EMPTY
        # The mark counts before the header.
        bom, charset = next(((bom, name) for bom, name in _BOMS if data.startswith(bom)), (b"", self._charset or ""))
        codec = _UTF_16.get(charset, "ascii")
        if charset in _REPLACED or (codec == "ascii" and b"\0" in data[:4]):
            return Unfit.CHARSET
        text = _units(data, codec)
        start = len(bom) // 2 if codec != "ascii" else len(bom)
        if not charset and (late := self._declared_late(text, ended=ended)) is not False:
            return Unfit.DECLARED_LATE if late else None
        at = (xml_place if self._xml else html_place)(text, start, ended=ended)
        if not isinstance(at, int):
            return at
        # Between two escape sequences no letter stands for itself.
        if charset in _SHIFTED and b"\x1b" in data[:at]:
            return Unfit.CHARSET
        return (2 * at if codec != "ascii" else at), codec

    def _declared_late(self, text: bytes, *, ended: bool) -> bool | None:
        """Return whether a script in front would push the declaration of the character set out of sight.

        Behind the first 1,024 bytes browsers look on only as long as they meet nothing but what belongs to a head.
        None as long as more bytes are needed.
        """
        if self._xml:
            return False
        if len(text) < _PRESCAN and not ended:
            return None
        declared = _META_CHARSET.search(text, 0, _PRESCAN)
        return bool(declared and _BODY_TAG.search(text, 0, declared.start()))


def html_place(text: bytes, at: int = 0, *, ended: bool = False) -> int | Unfit | None:
    """Return the offset in an HTML document before which a script leaves no trace, from `at` on.

    That is right behind `<head>`, or, without one, before whatever brings the head into being. None if more of the
    document must be known; `ended`: there is no more.
    """
    while True:
        if blank := _SPACE.match(text, at):
            at = blank.end()
        if at == len(text) or (not ended and _OPEN_REFERENCE.match(text, at)):
            return at if ended else None
        step = _step(text, at)
        if step is None:
            return Unfit.BROKEN if ended else None
        after, here = step
        if here:
            return after
        at = after


def xml_place(text: bytes, at: int = 0, *, ended: bool = False) -> int | Unfit | None:
    """Return the offset in an XHTML document right behind the start tag of its root, from `at` on.

    A doctype that declares entities is none of ours to understand: the document passes. None and `ended` as above.
    """
    if prolog := _PROLOG.match(text, at):
        at = prolog.end()
    root = text.startswith(b"<html", at) and _REST.match(text, at + len(b"<html"))
    if root and _SPACE_OR_END.match(text, at + len(b"<html")) and not root[0].endswith(b"/>"):
        return root.end()
    if root or not _OPEN.match(text, at):
        return Unfit.NO_ROOT
    return Unfit.BROKEN if ended else None


def _step(text: bytes, at: int) -> tuple[int, bool] | None:
    """Return where what begins at `at` ends, and whether the script's place is there; None if its end is not known."""
    # A reference to white space is white space.
    if reference := _SPACE_REFERENCE.match(text, at):
        return reference.end(), False
    if text[at : at + 1] != b"<":
        return at, True
    lead = text[at + 1 : at + 2]
    if not lead:
        return None
    if lead == b"!":
        return _ended(_declaration_end(text, at))
    if lead == b"?":
        return _ended(_behind(text, b">", at))
    if lead == b"/":
        return _end_tag(text, at)
    # A `<` before anything but a letter is text.
    name = _NAME.match(text, at + 1)
    return _start_tag(text, at, name[0].lower(), name.end()) if name else (at, True)


def _start_tag(text: bytes, at: int, name: bytes, end: int) -> tuple[int, bool] | None:
    if end == len(text) and len(name) <= len(b"html"):
        return None
    if name not in (b"html", b"head"):
        return at, True
    rest = _REST.match(text, end)
    return (rest.end(), name == b"head") if rest else None


def _end_tag(text: bytes, at: int) -> tuple[int, bool] | None:
    name = _NAME.match(text, at + 2)
    if name is None:
        # `</` alone at the end is text, and before anything but a letter the beginning of a comment.
        return _ended(_behind(text, b">", at))
    if name.end() == len(text):
        return None
    if name[0].lower() in _ACTING_ENDS:
        return at, True
    rest = _REST.match(text, name.end())
    return _ended(rest.end() if rest else None)


def _declaration_end(text: bytes, at: int) -> int | None:
    """Return the end of a comment, a doctype, or what browsers take for a comment."""
    if not text.startswith(b"<!--", at):
        # What may still become a comment must not be taken for something else that ends at its first `>`.
        return None if b"<!--".startswith(text[at:]) else _behind(text, b">", at)
    for short in (b">", b"->"):
        if text.startswith(short, at + 4):
            return at + 4 + len(short)
    end = _COMMENT_END.search(text, at + 4)
    return end.end() if end else None


def _ended(end: int | None) -> tuple[int, bool] | None:
    return None if end is None else (end, False)


def _behind(text: bytes, end: bytes, at: int) -> int | None:
    found = text.find(end, at)
    return None if found < 0 else found + len(end)


def _units(data: bytes, codec: str) -> bytes:
    """Return a byte for each code unit: its ASCII character, or one that is none."""
    if codec == "ascii":
        return data
    low, high = (data[0::2], data[1::2]) if codec == "utf-16le" else (data[1::2], data[0::2])
    # Half a unit at the end is left for later.
    return bytes(one if not above and one < 0x80 else 0xFF for one, above in zip(low, high, strict=False))
