"""Makes the style sheets of recorded pages harmless: a page keeps its style, and nothing is fetched."""

import re
from collections.abc import Mapping

from stressweb.html.sheets import linked
from stressweb.log.recording import EpisodeRecord
from stressweb.report.pack import Pack

_STRING = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_COMMENT = r"/\*.*?(?:\*/|\Z)"
# Letters may be written as escapes, which would hide the words to find.
_ESCAPED = re.compile(rf"(?s:({_STRING}|{_COMMENT}))|\\0{{0,4}}([46][1-9a-f]|[57][0-9a])(?![0-9a-f])\s?", re.IGNORECASE)
_FOREIGN = re.compile(
    rf"(?s:(?P<comment>{_COMMENT})|(?P<import>@import\b(?:{_STRING}|\([^)]*\)|[^;\"'(])*;?)"
    rf"|(?P<url>\b(?:url|src)\(\s*(?P<address>{_STRING}|[^)\"']*)\s*\))|(?P<set>(?:-webkit-)?image-set\()"
    rf"|(?P<string>{_STRING}))",
    re.IGNORECASE,
)
# In the frame, links have lost their href; the attribute data-href distinguishes them from other anchors.
_LINKS = re.compile(r"\[href\]|:(?:any-)?link\b", re.IGNORECASE)


def make_harmless(sheet: str) -> str:
    """Return a style sheet that requests no other file, and is safe inside an element as text.

    Imports are dropped, and so is every address except `data:`. The policy of the frame forbids both as well.
    """
    plain = _ESCAPED.sub(lambda match: match[1] or chr(int(match[2], 16)), sheet)
    # `</style>` would end the surrounding element; in a string or a name of a sheet an escaped `<` is the same
    # character.
    return _LINKS.sub("[data-href]", _FOREIGN.sub(_kept_text, plain)).replace("<", r"\3c ")


def _kept_text(match: re.Match[str]) -> str:
    if match["string"]:
        return match[0]
    if match["url"]:
        return match[0] if match["address"].lstrip("\"' \t\r\n\f").lower().startswith("data:") else "none"
    # An image set has several addresses: with a name unknown to CSS the browser ignores all of them.
    return "none(" if match["set"] else " "


def sheet_ids_by_href(
    record: EpisodeRecord, pages: tuple[str, ...], recorded_sheets: Mapping[str, str], pack: Pack
) -> list[dict[str, str]]:
    """Return for each page of an episode the ids of its style sheets in the pack, by their `href` on that page.

    `recorded_sheets` are those of the recording, by URL. Missing sheets, and those that do not fit, are left out.
    """
    if not recorded_sheets:
        return []
    urls: dict[str, str] = {}
    for page in (*(step.page for step in record.steps), *record.closings.values()):
        # Links are relative to the address at which a page was first seen; equal pages have equal links.
        urls.setdefault(page.html, page.url)
    return [_sheet_ids_of_page(page, urls[page], recorded_sheets, pack) for page in pages]


def _sheet_ids_of_page(page: str, url: str, recorded_sheets: Mapping[str, str], pack: Pack) -> dict[str, str]:
    wanted = ((href, recorded_sheets.get(address)) for href, address in linked(page, url).items())
    sheet_ids = ((href, pack.add_sheet(sheet, make_harmless)) for href, sheet in wanted if sheet is not None)
    return {href: sheet_id for href, sheet_id in sheet_ids if sheet_id is not None}
