"""Queries of checkpoints: items by microdata, controls by role and name, texts, and changes of the database."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from stressweb.html.accessible_name import Names, clean, role
from stressweb.html.canonical import document
from stressweb.html.recorded import site_tree
from stressweb.plugins.changes import Changes
from stressweb.plugins.database import TableChange

# Attributes from which the microdata standard takes a property's value instead of the text.
_PROP_SOURCES = {"a": "href", "link": "href", "img": "src", "time": "datetime", "data": "value"}
_BLOCKS = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "li")
# Compiled once, because compiling an expression takes lxml as long as searching a page.
_ITEMS: Callable[[HtmlElement], Any] = etree.XPath("descendant::*[@itemscope]")
_MICRODATA: Callable[[HtmlElement], Any] = etree.XPath("descendant-or-self::*[@itemscope or @itemprop]")


type Reads = set[tuple[str, str]]
"""Texts that checkpoints have read from evidence pages, each with its property ("" for other texts)."""


@dataclass(frozen=True)
class ShownControl:
    """A control as recorded: its role, name and state."""

    role: str
    name: str
    value: str
    href: str
    checked: bool
    selected: bool
    disabled: bool


class _Scope(ABC):
    """A queried part of a page: the whole page, or an item."""

    @property
    @abstractmethod
    def _root(self) -> HtmlElement: ...

    @property
    @abstractmethod
    def _parsed(self) -> "Parsed": ...

    @property
    def _names(self) -> Names:
        return self._parsed.names

    @cached_property
    def text(self) -> str:
        """The text of this part with white space collapsed, without elements that have `hidden`."""
        return self._names.text(self._root)

    @property
    def _reads(self) -> "Reads | None":
        """The set in which reads of checkpoints are noted; None to note none."""
        return None

    def says(self, text: str) -> bool:
        """Return whether this part contains `text`."""
        self._note("", clean(text))
        return clean(text) in self.text

    def _note(self, prop: str, text: str) -> None:
        if self._reads is not None:
            self._reads.add((prop, text))

    def items(self, kind: str, **props: object) -> "list[Item]":
        """Return the items of a schema.org type with these properties, in document order."""
        items = [Item(element, self._parsed, self._reads) for element in self._items() if _type(element) == kind]
        return [item for item in items if item.reads(props)]

    def _items(self) -> Iterable[HtmlElement]:
        """Return the elements of all items, in document order."""
        items: list[HtmlElement] = _ITEMS(self._root)
        return items

    def names(self, kind: str, **props: object) -> set[str | None]:
        """Return the names of the items of a type with these properties."""
        return {item["name"] for item in self.items(kind, **props)}

    def item(self, kind: str, **props: object) -> "Item | None":
        """Return the first item of a type with these properties; None if there is none."""
        return next(iter(self.items(kind, **props)), None)

    def controls(self, kind: str | None = None) -> list[ShownControl]:
        """Return the controls of a role (all controls without one), in document order."""
        return [
            self._control(element, element_role)
            for element, element_role in self._with_role()
            if kind in (None, element_role)
        ]

    def control(self, kind: str, name: str) -> ShownControl | None:
        """Return the first control of a role with a name; None if there is none."""
        cleaned = clean(name)
        candidates = (element for element, element_role in self._with_role() if element_role == kind)
        match = next((element for element in candidates if self._names.name(element) == cleaned), None)
        return None if match is None else self._control(match, kind)

    def headings(self) -> list[str]:
        """Return the texts of the headings, in document order."""
        return [self._names.name(element) for element, element_role in self._with_role() if element_role == "heading"]

    def _with_role(self) -> Iterator[tuple[HtmlElement, str]]:
        for element in self._root.iterdescendants():
            if isinstance(element.tag, str) and (element_role := role(element)):
                yield element, element_role

    def _control(self, element: HtmlElement, element_role: str) -> ShownControl:
        self._note("", _value(element))
        return ShownControl(
            role=element_role,
            name=self._names.name(element),
            value=_value(element),
            href=element.get("href") or "",
            checked=element.get("checked") is not None,
            selected=element.get("selected") is not None,
            disabled=element.get("disabled") is not None,
        )


class Item(_Scope):
    """A microdata item. `item["price"]` reads a property of the item itself, not of an item inside it."""

    def __init__(self, root: HtmlElement, page: "Parsed", reads: "Reads | None" = None) -> None:
        """Take the element with the `itemscope`, its page, and the set in which reads are noted."""
        self._place = root, page
        self._noted = reads

    @property
    def _reads(self) -> "Reads | None":
        return self._noted

    @property
    def _root(self) -> HtmlElement:
        return self._place[0]

    @property
    def _parsed(self) -> "Parsed":
        return self._place[1]

    def __getitem__(self, prop: str) -> str | None:
        """Return a property as text, or None if the item does not have it."""
        text = self._read(prop)
        if text is not None:
            self._note(prop, text)
        return text

    def _read(self, prop: str) -> str | None:
        element = self._parsed.items[self._root].get(prop)
        if element is None:
            return None
        # `content` comes first: it is the value for programs, such as "1299.00" for "1,299 €".
        source = element.get("content")
        if source is None and element.tag in _PROP_SOURCES:
            source = element.get(_PROP_SOURCES[element.tag])
        if source is None and element.tag in ("input", "select", "textarea"):
            source = _value(element)
        return clean(source) if source is not None else self._names.text(element)

    def lines(self, prop: str) -> list[str]:
        """Return the headings, paragraphs and list items of a property as texts, in document order."""
        element = self._parsed.items[self._root].get(prop)
        if element is None:
            return []
        blocks = [block for block in element.iter(*_BLOCKS) if next(block.iterdescendants(*_BLOCKS), None) is None]
        lines = [self._names.text(block) for block in blocks]
        self._note(prop, " ".join(lines))
        return lines

    def number(self, prop: str) -> Decimal | None:
        """Return a property as a number, or None if it is not a number."""
        try:
            # Decimal, because prices are compared for equality, and floats cannot represent 0.1.
            return Decimal(self[prop] or "")
        except InvalidOperation:
            return None

    def reads(self, props: Mapping[str, object]) -> bool:
        """Return whether every property equals its value, as text or as a number."""
        return all(self._same(prop, value) for prop, value in props.items())

    def _same(self, prop: str, value: object) -> bool:
        read = self[prop]
        if read is None:
            return False
        if isinstance(value, int | float | Decimal):
            # Through str, because Decimal(0.1) would be the nearest binary fraction. 5 and 5.00 are equal.
            return self.number(prop) == Decimal(str(value))
        return read == clean(str(value))


class Parsed:
    """The tree of a recorded page in its canonical form, with the names and the items in it."""

    def __init__(self, html: str) -> None:
        """Parse a recorded document."""
        # An unrecorded page is an empty document, which can be queried like all others.
        self.root = site_tree(html) if html else document("")
        self.names = Names(self.root)

    @cached_property
    def items(self) -> dict[HtmlElement, dict[str, HtmlElement]]:
        """The properties of every microdata item, by the element with its `itemscope`, in document order."""
        items: dict[HtmlElement, dict[str, HtmlElement]] = {}
        for element in _MICRODATA(self.root):
            if element.get("itemscope") is not None:
                items[element] = {}
            # A property inside a nested item belongs to that item: a line's price is not the price of its order.
            owner = element.getparent()
            while owner is not None and owner not in items:
                owner = owner.getparent()
            if owner is not None:
                # The first value counts, as for a person who reads from the top.
                for prop in (element.get("itemprop") or "").split():
                    items[owner].setdefault(prop, element)
        return items


class State(_Scope):
    """A recorded page in its canonical form; a blank page has no results.

    It is parsed only if a query needs its tree, because most pages of a run are never queried.
    """

    def __init__(self, url: str, html: str, parse: Callable[[str], Parsed] = Parsed) -> None:
        """Take the URL, the recorded document, and a parser."""
        self.url = url
        self._html = html
        self._parse = parse
        self._kinds: dict[str, bool] = {}
        """For each queried type, whether the document may have it."""
        self.reads: Reads | None = None
        """The set in which reads of checkpoints are noted; only for evidence pages."""

    @property
    def _reads(self) -> "Reads | None":
        return self.reads

    @cached_property
    def _parsed(self) -> Parsed:
        return self._parse(self._html)

    @property
    def _root(self) -> HtmlElement:
        return self._parsed.root

    def _items(self) -> Iterable[HtmlElement]:
        # Without the root itself, as in the base class.
        return (element for element in self._parsed.items if element is not self._root)

    def items(self, kind: str, **props: object) -> "list[Item]":
        """Return the items of a schema.org type with these properties, in document order."""
        return super().items(kind, **props) if self._may_have(kind) else []

    def writes(self, kind: str, values: Iterable[object]) -> bool:
        """Return whether the source of the document contains these values, so that an item of a type likely has them.

        Only a hint, because values may be split by tags, or written as character references.
        """
        return self._may_have(kind) and all(str(value) in self._html for value in values)

    def _may_have(self, kind: str) -> bool:
        """Return whether the document may have an item of a type; False if its source excludes it."""
        if kind not in self._kinds:
            # In HTML, an ASCII letter is either itself or a numeric reference.
            self._kinds[kind] = kind in self._html or self._has_references or not (kind.isascii() and kind.isalnum())
        return self._kinds[kind]

    @cached_property
    def _has_references(self) -> bool:
        """Whether the source may have numeric character references."""
        # Searches for "&" first, because Python finds one character ten times as fast as two.
        position = self._html.find("&")
        while position >= 0 and not self._html.startswith("#", position + 1):
            position = self._html.find("&", position + 1)
        return position >= 0

    @property
    def page(self) -> Parsed:
        """The tree of the page, with its names."""
        return self._parsed

    @property
    def path(self) -> str:
        """The path of the page, without query."""
        # Without host and port, which depend on the server.
        return unquote(urlsplit(self.url).path)

    @property
    def query(self) -> dict[str, str]:
        """The query of the page's URL: the first value of each name, as sites use it."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.url).query).items()}

    @property
    def title(self) -> str:
        """The title of the document."""
        return clean(self._root.findtext(".//title") or "")

    @cached_property
    def text(self) -> str:
        """The text of the page's `main` element, or of its body if it has none."""
        # Without menu and footer, which are the same on every page.
        body = self._root.find(".//main")
        if body is None:
            body = self._root.find(".//body")
        return "" if body is None else self._names.text(body)


# Used instead of None, so that checkpoints need not check whether a page exists.
BLANK = State("", "")


@dataclass
class Run(Changes):
    """A recorded episode for checkpoints: states, closing states, and changes of the database."""

    states: Sequence[State]
    """The pages that the agent saw, in order: the first page, then the page after each action."""
    closings: Mapping[str, State] = field(default_factory=dict)
    """The evidence pages after the last action, by path."""
    tables: Mapping[str, TableChange] = field(default_factory=dict)
    reads: Reads = field(default_factory=set, repr=False)
    """Texts that checkpoints have read from evidence pages."""
    asked_agent_pages: bool = field(default=False, repr=False)
    """Whether `ever` or `last` was queried since this was last set to False."""
    open_pages: Sequence[State] = ()
    """The last page that the agent saw in each open tab."""
    derived: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False)
    pages_missing: bool = False
    """Whether `states` may be incomplete, because the agent uses its own browser."""

    def ever(self, holds: Callable[[State], bool]) -> bool:
        """Return whether a condition held in any state."""
        self.asked_agent_pages = True
        if not isinstance(holds, _HasItem):
            return any(map(holds, self.states))
        # The most likely pages first, to parse as few pages as possible.
        return any(map(holds, sorted(self.states, key=holds.likely, reverse=True)))

    @property
    def last(self) -> State:
        """The last page that the agent saw; a blank state if it saw none."""
        self.asked_agent_pages = True
        return self.states[-1] if self.states else BLANK

    def left_open(self, path: str) -> State:
        """Return the open page with a path, in any tab; a blank state if there is none.

        If another page of its kind is open, such as another product's, the page must be in the current tab: opening all
        of them does not count as choosing one.
        """
        if self.last.path == path:
            return self.last
        kind = path.rpartition("/")[0]
        alike = [page for page in self.open_pages if page.path.rpartition("/")[0] == kind]
        return alike[0] if alike and all(page.path == path for page in alike) else BLANK

    def closing(self, path: str) -> State:
        """Return an evidence page in its final state; a blank state if it was not read.

        `path` is an entry of the task's `evidence`, such as `/t/{made.id}` for the page of an added row.
        """
        evidence_page = self.closings.get(path, BLANK)
        # The blank state is shared by all runs.
        if evidence_page is not BLANK:
            evidence_page.reads = self.reads
        return evidence_page


@dataclass(frozen=True)
class _HasItem:
    kind: str
    props: Mapping[str, object]

    def __call__(self, state: State) -> bool:
        return state.item(self.kind, **self.props) is not None

    def likely(self, state: State) -> bool:
        """Return whether the page should be checked before others."""
        return state.writes(self.kind, self.props.values())


def has_item(kind: str, **props: object) -> Callable[[State], bool]:
    """Return the condition that the page has an item of a type with these properties."""
    return _HasItem(kind, props)


def at(path: str) -> Callable[[State], bool]:
    """Return the condition that the page has a path."""
    return lambda state: state.path == path


def says(text: str) -> Callable[[State], bool]:
    """Return the condition that the page contains a text."""
    return lambda state: state.says(text)


def _type(element: HtmlElement) -> str:
    # The type is a schema.org URL, with http or https.
    return (element.get("itemtype") or "").rstrip("/").rpartition("/")[2]


def _value(element: HtmlElement) -> str:
    if element.tag == "textarea":
        return clean(element.text or "")
    if element.tag == "select":
        options = element.xpath("descendant::option")
        # As in browsers, a field without a selected option has the first.
        chosen = [option for option in options if option.get("selected") is not None] or options[:1]
        return clean(chosen[-1].text_content()) if chosen else ""
    return clean(element.get("value") or "")
