"""A page as a manual tester sees it: its heading, texts, field values and lists."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from stressweb.html.accessible_name import Names, clean, role

LONGEST = 80
"""Longest text that a tester would copy into a test case, in characters."""
_LINES = ("p", "td", "th", "dd", "dt", "h2", "h3")
_WRITTEN = frozenset(("textbox", "searchbox", "spinbutton"))
# Browsers format dates and times by the user's country, and hide passwords.
_SHOWN_OTHERWISE = frozenset(("date", "time", "month", "week", "datetime-local", "password", "hidden", "file"))

type IsShown = Callable[[HtmlElement], bool]


@dataclass(frozen=True)
class Sight:
    """One page in one state."""

    path: str
    heading: str
    """The first heading of the page; "" if it has none."""
    messages: tuple[str, ...]
    """Messages of the page, such as "The changes are saved."."""
    text: str
    """All visible words, without field values."""
    lines: tuple[str, ...]
    """Its short paragraphs, cells and lower headings, in order, without those that are shown only on demand."""
    fields: Mapping[str, str]
    """The value of each text field and list of options, by its label, without ambiguous labels."""
    options: Mapping[str, tuple[str, ...]]
    """The options of each list, by its label."""
    boxes: Mapping[str, bool]
    """Whether each box is ticked, by its label, without ambiguous labels."""
    controls: tuple[tuple[str, str], ...]
    """Role and name of every control, in order."""
    listed: tuple[str, ...]
    """The names of the listed entries, in order; empty if they are of several kinds."""
    switches: frozenset[str]
    """The names of the buttons that a script turns on or off where they are; nothing else on the page changes."""

    def says(self, text: str) -> bool:
        """Return whether a text is on the page, in any case, as words or in a field."""
        return text.casefold() in self._words

    @cached_property
    def _words(self) -> str:
        # No text contains a line break, so nothing is found across two of them.
        return "\n".join((self.text, *self.fields.values(), *(name for _, name in self.controls))).casefold()

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the controls, in lower case."""
        return frozenset(name.casefold() for _, name in self.controls)


def read(url: str, root: HtmlElement, names: Names | None = None, is_shown: IsShown | None = None) -> Sight:
    """Return the visible content of a document; `names` and `is_shown` reflect a browser's rendering, if there is
    one."""
    names = names or Names(root)
    is_shown = is_shown or _without_hidden(root)
    main = root.find(".//main")
    main = root if main is None else main
    controls = [(element, kind) for element in root.iter("*") if (kind := role(element)) and is_shown(element)]
    labels = Counter(names.name(element) for element, kind in controls if kind in (*_WRITTEN, "combobox", "checkbox"))
    fields: dict[str, str] = {}
    options: dict[str, tuple[str, ...]] = {}
    boxes: dict[str, bool] = {}
    for element, kind in controls:
        label = names.name(element)
        if not label or labels[label] > 1:
            continue
        if kind == "checkbox" and element.tag == "input":
            boxes[label] = element.get("checked") is not None
        elif kind == "combobox" and element.tag == "select":
            options[label] = tuple(clean(option.text_content()) for option in element.iter("option"))
            fields[label] = _chosen(element)
        # A field with suggestions is a combobox too.
        elif kind in (*_WRITTEN, "combobox") and element.get("type") not in _SHOWN_OTHERWISE:
            fields[label] = clean(_held(element, names))
    # A message that can be closed says no more for it.
    unpressed = Names(root, lambda element: not is_shown(element) or role(element) == "button")
    heading = next((element for element in main.iter("h1") if is_shown(element)), None)
    return Sight(
        path=urlsplit(url).path,
        heading="" if heading is None else names.text(heading),
        messages=tuple(_texts(unpressed, (element for element, kind in controls if kind in ("status", "alert")))),
        text=names.text(root),
        lines=tuple(dict.fromkeys(_texts(names, (line for line in _lines(main) if is_shown(line))))),
        fields=fields,
        options=options,
        boxes=boxes,
        controls=tuple((kind, name) for element, kind in controls if (name := names.name(element))),
        listed=tuple(_entry_names(main, names, is_shown)),
        switches=frozenset(
            names.name(button) for form in root.iterfind(".//form[@data-tally]") for button in form.iter("button")
        ),
    )


def _lines(main: HtmlElement) -> list[HtmlElement]:
    # Without scripts a page shows the text of its dialogs, and all text of a closed section is in the document. People
    # see neither until they ask for it.
    on_demand = {
        line
        for holder in main.iter("dialog", "details")
        if holder.tag == "dialog" or holder.get("open") is None
        for line in holder.iter(*_LINES)
    }
    return [line for line in main.iter(*_LINES) if line not in on_demand]


def _without_hidden(root: HtmlElement) -> IsShown:
    # Bootstrap's class for text that only screen readers announce.
    holders = [
        element
        for element in root.iter("*")
        if element.get("hidden") is not None or "visually-hidden" in (element.get("class") or "").split()
    ]
    hidden = {element for holder in holders for element in holder.iter("*")}
    return lambda element: element not in hidden


def _texts(names: Names, elements: Iterable[HtmlElement]) -> Iterator[str]:
    yield from (text for element in elements if (text := names.text(element)) and len(text) <= LONGEST)


def _held(element: HtmlElement, names: Names) -> str:
    if element.tag == "textarea":
        return element.text or ""
    # An editor of formatted text is no field: its text stands on the page.
    return element.get("value") or "" if element.tag == "input" else names.text(element)


def _chosen(element: HtmlElement) -> str:
    options = [*element.iter("option")]
    chosen = [option for option in options if option.get("selected") is not None] or options[:1]
    return clean(chosen[-1].text_content()) if chosen else ""


def _entry_names(main: HtmlElement, names: Names, is_shown: IsShown) -> Iterator[str]:
    """Yield the name of each entry that stands in no other one."""
    items = [item for item in main.iter("*") if item.get("itemscope") is not None and item.get("itemprop") is None]
    # If a page lists entries of two kinds, such as orders and products, a tester cannot know which list to count.
    if len({item.get("itemtype") for item in items}) != 1:
        return
    for item in items:
        title = next((part for part in item.iter("*") if part.get("itemprop") == "name" and is_shown(part)), None)
        if title is not None and (text := names.text(title)):
            yield text
