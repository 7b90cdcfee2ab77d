"""Documents that a browser shows exactly as written: they run no script, and the parser moves no element.

The recorder's copy of such a document can be written without a browser. All other documents need one.
"""

import re
from collections.abc import Iterator, Mapping

from stressweb.html.page_tree import VOID, PageParser, Tree, markup

_DOCTYPE = re.compile(r"\s*<!doctype html>", re.IGNORECASE)
# A comment, another declaration or an instruction, and text that only a browser reads correctly.
_ODD = re.compile(r"<!|<\?|[\x00\r\ufeff]|&(?!#\d+;|#[xX][0-9a-fA-F]+;|[a-zA-Z][a-zA-Z0-9]*;)")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ACTIVE = _words("applet base embed frame frameset iframe math object portal fencedframe script template")
"""Elements with outside content or behaviour, or outside of the document."""
_OUTDATED = _words("image isindex keygen listing marquee nobr noembed noframes param plaintext rb rtc xmp")
_ENDS_P = _words(
    "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h1 "
    "h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table ul"
)
"""Elements whose start ends an open paragraph."""
_HEADINGS = _words("h1 h2 h3 h4 h5 h6")
_INSIDE: Mapping[str, frozenset[str]] = {
    "html": _words("head body"),
    "head": _words("link meta style title"),
    "table": _words("caption colgroup thead tbody tfoot"),
    "colgroup": _words("col"),
    **dict.fromkeys(("thead", "tbody", "tfoot"), _words("tr")),
    "tr": _words("td th"),
    "select": _words("optgroup option"),
    "optgroup": _words("option"),
    **dict.fromkeys(("option", "style", "textarea", "title"), frozenset[str]()),
    "svg": (_SVG := _words("circle defs ellipse g line path polygon polyline rect svg text title tspan use")),
    **dict.fromkeys(("defs", "g", "text", "tspan"), _SVG),
}
"""The only allowed children of an element."""
_AROUND: Mapping[str, frozenset[str]] = {
    "head": _words("html"),
    "body": _words("html"),
    **dict.fromkeys(("caption", "colgroup", "thead", "tbody", "tfoot"), _words("table")),
    "col": _words("colgroup"),
    "tr": _words("thead tbody tfoot"),
    **dict.fromkeys(("td", "th"), _words("tr")),
    "li": _words("ul ol menu"),
    **dict.fromkeys(("dt", "dd"), _words("dl div")),
    "option": _words("select optgroup datalist"),
    "optgroup": _words("select"),
}
"""The only allowed parents of an element."""
_WORDLESS = frozenset(("", "html", "head", "table", "colgroup", "thead", "tbody", "tfoot", "tr"))
"""Elements without text; "" is around all of them."""
_ONCE = _words("a button form")
"""Elements that cannot be nested."""
_PLAIN_INPUTS = _words("text search hidden password tel submit button reset checkbox radio")
"""Fields whose value is the written one."""
_ONE_LINE = re.compile(r"[^\n]*")


class _UnknownError(ValueError):
    """A document that needs a browser."""


class _Parser(PageParser):
    """Accepts documents that every parser reads alike."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        ancestors = [name for name, _ in self.open[1:]]
        _check_place(tag, ancestors)
        _check_attributes(tag, dict(attrs))
        if len(dict(attrs)) < len(attrs):
            raise _UnknownError(f"<{tag}> has an attribute twice")
        super().handle_starttag(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID and not any(name == "svg" for name, _ in self.open):
            raise _UnknownError(f"<{tag}/> is not closed in a browser")
        super().handle_startendtag(tag, attrs)

    def handle_data(self, data: str) -> None:
        parent = self.open[-1][0]
        if parent in _WORDLESS and data.strip():
            raise _UnknownError(f"a text stands in <{parent}>")
        # A parser drops or moves white space there.
        if parent not in ("", "html"):
            super().handle_data(data)


def as_drawn(html: str) -> str | None:
    """Return the recorder's copy of a document; None if it needs a browser."""
    doctype = _DOCTYPE.match(html)
    if doctype is None or _ODD.search(html, doctype.end()):
        return None
    parser = _Parser()
    try:
        parser.feed(html[doctype.end() :])
        parser.close()
        page = parser.whole()
        if [node[0] for node in _elements(page[2])] != ["head", "body"]:
            return None
        _set_states(page)
    except ValueError:
        return None
    return markup(page).replace("\n", "", 1)


def _check_place(tag: str, ancestors: list[str]) -> None:
    """Raise _UnknownError for an element that a parser would move, or that has behaviour."""
    if tag in _ACTIVE or tag in _OUTDATED:
        raise _UnknownError(f"<{tag}> is more than its markup")
    parent = ancestors[-1] if ancestors else ""
    if parent in _INSIDE and tag not in _INSIDE[parent]:
        raise _UnknownError(f"<{tag}> does not stand in <{parent}>")
    if tag in _AROUND and parent not in _AROUND[tag]:
        raise _UnknownError(f"<{tag}> stands in <{parent}>")
    if tag in _ENDS_P and "p" in ancestors:
        raise _UnknownError(f"<{tag}> ends a paragraph")
    if (tag in _ONCE and tag in ancestors) or (tag in _HEADINGS and not _HEADINGS.isdisjoint(ancestors)):
        raise _UnknownError(f"<{tag}> ends another one")


def _check_attributes(tag: str, attributes: Mapping[str, str | None]) -> None:
    """Raise _UnknownError for an element with behaviour, or whose state differs from its markup."""
    if any(name.startswith("on") for name in attributes):
        raise _UnknownError(f"<{tag}> has a script")
    if tag == "meta" and (attributes.get("http-equiv") or "").lower() == "refresh":
        raise _UnknownError("the document is replaced by another one")
    if tag == "details" and "name" in attributes:
        raise _UnknownError("only one of several details is open")
    if tag == "input":
        kind, value = (attributes.get("type") or "text").lower(), attributes.get("value") or ""
        if kind not in _PLAIN_INPUTS and not (kind in ("file", "email", "url") and not value):
            if not _is_kept(kind, value):
                raise _UnknownError(f"the value of a field for {kind} may be another one")
        elif not _ONE_LINE.fullmatch(value):
            raise _UnknownError("a field has no lines")


_FORMS: Mapping[str, re.Pattern[str]] = {
    "number": re.compile(r"-?\d{1,15}(\.\d{1,9})?|"),
    "date": re.compile(r"(19|20)\d\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])|"),
    "time": re.compile(r"([01]\d|2[0-3]):[0-5]\d|"),
    "month": re.compile(r"(19|20)\d\d-(0[1-9]|1[0-2])|"),
    "datetime-local": re.compile(r"(19|20)\d\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d|"),
    "email": re.compile(r"[\w.+-]+@[\w.-]+", re.ASCII),
    "url": re.compile(r"https?://[\w./?=&%#:-]+", re.ASCII),
}
"""Values that a field of a type shows unchanged; fields of other types may show something else."""


def _is_kept(kind: str, value: str) -> bool:
    return kind in _FORMS and bool(_FORMS[kind].fullmatch(value))


def _elements(nodes: list[Tree]) -> Iterator[list[object]]:
    for node in nodes:
        if not isinstance(node, str):
            yield node


def _set_states(page: list[object]) -> None:
    """Write the states of fields into a page as a browser has them."""
    checked: set[tuple[int, str]] = set()
    pending: list[tuple[list[object], int]] = [(page, 0)]
    while pending:
        node, form = pending.pop()
        tag, attributes, children = node
        assert isinstance(attributes, dict)
        assert isinstance(children, list)
        if tag == "select":
            _set_option(attributes, children)
        if tag == "input" and "checked" in attributes and attributes.get("type", "").lower() == "radio":
            group = (form, attributes.get("name", ""))
            # With a form named by its id, groups are not what they seem.
            if group in checked or "form" in attributes:
                raise _UnknownError("of several radio buttons, one is checked")
            checked.add(group)
        pending += [(child, id(node) if tag == "form" else form) for child in _elements(children)]


def _set_option(attributes: Mapping[str, str], children: list[Tree]) -> None:
    """Select the option that a browser selects by default."""
    if "multiple" in attributes or attributes.get("size", "1") != "1":
        return
    options = list(_options(children, disabled=False))
    selected = [option for option, _ in options if "selected" in option]
    if len(selected) > 1:
        raise _UnknownError("of several options, one is selected")
    if not selected:
        first = next((option for option, disabled in options if not disabled), None)
        if first is not None:
            first["selected"] = ""


def _options(children: list[Tree], *, disabled: bool) -> Iterator[tuple[dict[str, str], bool]]:
    """Yield the attributes of each option, and whether it is disabled."""
    for node in _elements(children):
        tag, attributes, node_children = node
        assert isinstance(attributes, dict)
        assert isinstance(node_children, list)
        is_disabled = disabled or "disabled" in attributes
        if tag == "option":
            yield attributes, is_disabled
        else:
            yield from _options(node_children, disabled=is_disabled)
