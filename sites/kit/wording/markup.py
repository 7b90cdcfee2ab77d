"""Text with simple markup, as people type it.

`# ` begins a heading and `- ` an item of a list, **words** is bold, and [words](address) is a link.
"""

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

_BOLD = re.compile(r"\*\*(\S(?:[^*\n]*\S)?)\*\*")
# Allow only web and mail addresses: a link must not run a script.
_LINK = re.compile(r"\[([^\]\n]+)\]\(((?:https?://|mailto:)[^)\s]+)\)")
_ITEM, _HEAD = "- ", "# "
_ITEMS, _HEADS = re.compile(r"[-*\u2022]\s+(?=\S)"), re.compile(r"#{1,6}\s+(?=\S)")


def html(text: str, level: int = 2, prefix: str = "") -> Markup:
    """Return a text as HTML; everything other than the markup above is plain text.

    `level` is the level of its headings. If there is a `prefix`, the headings' ids are the prefix and their number.
    """
    html_text = Markup("")
    heads = 0
    for kind, lines in _blocks(text):
        words = Markup("<br>\n").join(map(_line, lines))
        if kind == _HEAD:
            heads += 1
            anchor = Markup(' id="{}"').format(f"{prefix}{heads}") if prefix else ""
            html_text += Markup('<h{0} class="h5"{1}>{2}</h{0}>\n').format(level, anchor, words)
        elif kind == _ITEM:
            items = Markup("").join(Markup("<li>{}</li>").format(_line(line)) for line in lines)
            html_text += Markup("<ul>{}</ul>\n").format(items)
        else:
            html_text += Markup("<p>{}</p>\n").format(words)
    return html_text


def headings(text: str) -> list[str]:
    """Return the headings of a text, without markup."""
    return [plain(lines[0]) for kind, lines in _blocks(text) if kind == _HEAD]


def plain(text: str) -> str:
    """Return the words of a text on one line, without markup."""
    words = " ".join(line for _, lines in _blocks(text) for line in lines)
    return _LINK.sub(r"\1", _BOLD.sub(r"\1", words))


def tidied(text: str) -> str:
    """Return a text with normalised markup: `* ` becomes `- `, and `## ` becomes `# `."""
    return "\n\n".join("\n".join(f"{kind}{line}" for line in lines) for kind, lines in _blocks(text))


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield paragraphs, headings and lists: the sign at the beginning of their lines, and the lines without it."""
    kind, lines, ended = "", list[str](), False
    # Browsers send line ends as carriage return and line feed.
    for raw in text.replace("\r\n", "\n").strip().split("\n"):
        line = raw.strip()
        now, words = _sort(line)
        # Items with empty lines between them form one list.
        if lines and line and (now != kind or now == _HEAD or (ended and now != _ITEM)):
            yield kind, lines
            lines = []
        ended = not line
        if line:
            kind = now
            lines.append(words)
    if lines:
        yield kind, lines


def _sort(line: str) -> tuple[str, str]:
    for kind, sign in ((_ITEM, _ITEMS), (_HEAD, _HEADS)):
        if match := sign.match(line):
            # Skip repeated signs.
            while again := sign.match(line, match.end()):
                match = again
            return kind, line[match.end() :]
    return "", line


def _line(line: str) -> Markup:
    # Escape first, so that the only tags are those added below.
    bold = _BOLD.sub(r"<strong>\1</strong>", str(escape(line)))
    return Markup(_LINK.sub(r'<a href="\2" rel="noopener noreferrer">\1</a>', bold))  # noqa: S704
