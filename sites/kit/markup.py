"""Text with a little markup, as people type it: **bold**, lists of lines that begin with `- `, and [words](address)."""

import re

from markupsafe import Markup, escape

_BOLD = re.compile(r"\*\*(\S(?:[^*\n]*\S)?)\*\*")
# Nothing but addresses of pages and of mail: a link must not run a script.
_LINK = re.compile(r"\[([^\]\n]+)\]\(((?:https?://|mailto:)[^)\s]+)\)")
_ITEM = "- "


def html(text: str) -> Markup:
    """Return a text as HTML; whatever is not the markup above stays the text that it is."""
    # Browsers send line ends as two characters.
    blocks = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip())
    return Markup("").join(_block(block.split("\n")) for block in blocks if block)


def _block(lines: list[str]) -> Markup:
    shown, items = Markup(""), Markup("")
    rest: list[Markup] = []

    def paragraph() -> Markup:
        words = Markup("<br>\n").join(rest)
        rest.clear()
        return Markup("<p>{}</p>\n").format(words) if words else Markup("")

    for line in lines:
        if line.startswith(_ITEM):
            shown += paragraph()
            items += Markup("<li>{}</li>").format(_line(line.removeprefix(_ITEM)))
            continue
        if items:
            shown, items = shown + Markup("<ul>{}</ul>\n").format(items), Markup("")
        rest.append(_line(line))
    return shown + paragraph() + (Markup("<ul>{}</ul>\n").format(items) if items else Markup(""))


def _line(line: str) -> Markup:
    # Escaped first: what follows adds the only tags that there are.
    said = _BOLD.sub(r"<strong>\1</strong>", str(escape(line)))
    return Markup(_LINK.sub(r'<a href="\2" rel="noopener noreferrer">\1</a>', said))  # noqa: S704
