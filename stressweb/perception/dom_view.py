"""Reads an observation as a person does: visible elements, their names and values."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from urllib.parse import urldefrag, urljoin

import lxml.html
from lxml.html import HtmlElement

from stressweb.html.accessible_name import Names, clean, role
from stressweb.plugins.agent import Box, Observation
from stressweb.plugins.offers import apart

_FIELDS = ("input", "select", "textarea")
_PRESSED = ("submit", "button", "reset", "image", "hidden")
_STATES = ("value", "checked", "selected", "id", "name", "for", "href")
# Pages mark required fields and add counts after the words of a task.
_DECORATION = re.compile(r"[\s*:…›»→]+$|\s*\(\d+\)$")
_DIALOGS = ("dialog", "alertdialog")
ROWS = frozenset(("row", "listitem", "article"))
_LISTS = frozenset(("table", "grid", "treegrid", "list", "feed"))


def fit(words: str, wanted: str) -> int | None:
    """Return how well an element's words fit the wanted ones: 0 is exact, more is looser, None is no fit.

    Looser fits are, in this order: another case, other white space, a mark or a count after the words ("Name *").
    """
    words, wanted = clean(words), clean(wanted)
    if words == wanted:
        return 0
    words, wanted = words.casefold(), wanted.casefold()
    if words == wanted:
        return 1
    if words.replace(" ", "") == wanted.replace(" ", ""):
        return 2
    return 3 if wanted and _DECORATION.sub("", words) == wanted else None


class DomView:
    """One observation, parsed once.

    An element is visible if it or something in it has a box; without boxes, if no attribute hides it.
    """

    def __init__(self, observation: Observation, root: HtmlElement | None = None) -> None:
        """Parse the document, unless it is given as a tree, and pair its elements with their boxes."""
        self.url = observation.url
        self.root = self._document(observation) if root is None else root
        self.names = Names(self.root, self._unseen)
        self._boxes: dict[HtmlElement, Box] = {}
        self._measured = bool(observation.boxes)
        self._shown: set[HtmlElement] = set()
        if self._measured:
            self._pair(observation.boxes)

    @staticmethod
    def _document(observation: Observation) -> HtmlElement:
        """Return the tree to read."""
        return lxml.html.document_fromstring(observation.html or "<html></html>")

    def _pair(self, boxes: Sequence[Box | None]) -> None:
        # Not strict: lxml may read broken markup as more or fewer elements than the browser, which must not end the
        # episode.
        for element, box in zip(self.root.iter("*"), boxes, strict=False):
            if box is None:
                continue
            self._boxes[element] = box
            # The parents of a visible element are visible too, even without a box.
            while element is not None and element not in self._shown:
                self._shown.add(element)
                element = element.getparent()  # noqa: PLW2901  climbing from here

    def _unseen(self, element: HtmlElement) -> bool:
        # Without boxes, names depend on attributes alone.
        return self._measured and element not in self._shown

    def box(self, element: HtmlElement) -> Box | None:
        """Return x, y, width and height in CSS pixels of the viewport; None if the element is not rendered."""
        return self._boxes.get(element)

    def shown(self, element: HtmlElement) -> bool:
        """Whether a person sees the element: large enough to hit and not pushed out of the page to the left."""
        if not self._measured:
            return not any(self._hides(ancestor) for ancestor in (element, *element.iterancestors()))
        box = self._boxes.get(element)
        # Texts for screen readers are one pixel large, or far to the left of the page.
        return box is not None and box[2] > 1 and box[3] > 1 and box[0] + box[2] > 0

    @staticmethod
    def _hides(element: HtmlElement) -> bool:
        style = (element.get("style") or "").replace(" ", "")
        return element.get("hidden") is not None or "display:none" in style or element.get("type") == "hidden"

    def find(self, roles: Sequence[str], name: str, on: str | None = None) -> list[HtmlElement]:
        """Return the visible elements of one of `roles` that are called `name`, the best fit first.

        Among equal fits, enabled ones come before disabled ones, an earlier role before a later one, then document
        order counts. With `on` only elements of the item of that name are returned.
        """
        ranked: list[tuple[int, bool, int, int, HtmlElement]] = []
        for position, (element, element_role) in enumerate(self._controls):
            # Checkboxes are often invisible, with a label in their place.
            if element_role in roles and self._reachable(element) and (rank := self._fit(element, name)) is not None:
                # A loose fit never comes before a better one, wherever it is.
                ranked.append((rank, self.disabled(element), roles.index(element_role), position, element))
        matches = [entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:-1])]
        return self._within(matches, on) if on else matches

    @cached_property
    def _controls(self) -> list[tuple[HtmlElement, str]]:
        return [(element, element_role) for element in self.root.iter("*") if (element_role := role(element))]

    def _fit(self, element: HtmlElement, name: str) -> int | None:
        """Fit by accessible name, else by a placeholder or title that a label outranks."""
        texts = (self.names.name(element), element.get("placeholder"), element.get("title"))
        ranks = [rank for text in texts if text and (rank := fit(text, name)) is not None]
        return min(ranks, default=None)

    def _reachable(self, element: HtmlElement) -> bool:
        return self.shown(element) or any(self.shown(label) for label in self.names.labels(element))

    def _within(self, matches: list[HtmlElement], on: str) -> list[HtmlElement]:
        """Return the matches in the item called `on`, or next to it if its surroundings have only one."""
        for item in self.items(on):
            own = self._not_of_others(matches, item)
            for holder in (item, *item.iterancestors()):
                descendants = [element for element in own if self.inside(element, holder)]
                # Going up from the item, the first surroundings with one target contain the button of its row or card.
                if len(descendants) == 1 or (descendants and holder is item):
                    return descendants
                # Several targets in surroundings beyond the item: nothing shows which one is its own.
                if descendants:
                    break
        return []

    def _not_of_others(self, matches: list[HtmlElement], item: HtmlElement) -> list[HtmlElement]:
        """Return the matches that are not part of another item: another named item, or another row of its list."""
        around = [item, *item.iterancestors()]
        row = next((holder for holder in around if role(holder) in ROWS), None)
        # The boxes around a match that do not contain the item. An item may have boxes with other names in it, such as
        # the products of an order, so a match in the item is always its own.
        return [
            element
            for element in matches
            if self.inside(element, item)
            or not any(
                self._is_of_another(holder, row)
                for holder in takewhile(lambda holder: holder not in around, (element, *element.iterancestors()))
            )
        ]

    def _is_of_another(self, holder: HtmlElement, row: HtmlElement | None) -> bool:
        """Whether an element around a match is another item's; `row` is the row of the item in question, if any."""
        names = self._names_inside.get(holder, set())
        # A box around one name is the card of that item; a box around several may be the rest of the page.
        if len(names) == 1 or (names and holder.get("itemscope") is not None):
            return True
        return row is not None and role(holder) == role(row) and _list_of(holder) is _list_of(row)

    @cached_property
    def _names_inside(self) -> dict[HtmlElement, set[str]]:
        """The names of the items in an element, for every element that holds one."""
        inside: dict[HtmlElement, set[str]] = {}
        for scope, prop, text in self._properties:
            if prop == "name":
                for holder in (scope, *scope.iterancestors()):
                    inside.setdefault(holder, set()).add(text)
        return inside

    def items(self, name: str) -> list[HtmlElement]:
        """Return the visible items named `name`: by microdata, else rows and list items that contain it.

        A property called `name` takes precedence.
        """
        ranked: list[tuple[bool, int, int, HtmlElement]] = []
        for position, (scope, prop, text) in enumerate(self._properties):
            if (rank := fit(text, name)) is not None:
                ranked.append((prop != "name", rank, position, scope))
        scopes = list(dict.fromkeys(entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:-1])))
        # Only without microdata: the text of a row also contains words about other things.
        return scopes or [
            element
            for element, element_role in self._controls
            if element_role in ROWS and not self._unseen(element) and clean(name) in self.names.text(element)
        ]

    @cached_property
    def _properties(self) -> list[tuple[HtmlElement, str, str]]:
        """Item, property and text, for every property of a shown item."""
        properties: list[tuple[HtmlElement, str, str]] = []
        for element in self.root.xpath("descendant::*[@itemprop]"):
            scope = next((above for above in element.iterancestors() if above.get("itemscope") is not None), None)
            if scope is not None and not self._unseen(scope):
                text = element.get("content") or self.names.text(element)
                properties.extend((scope, prop, text) for prop in element.get("itemprop").split())
        return properties

    def disabled(self, element: HtmlElement) -> bool:
        """Whether the element is marked as disabled."""
        return element.get("disabled") is not None or element.get("aria-disabled") == "true"

    def edited(self, element: HtmlElement) -> bool:
        """Whether the element is an editor: its content is its value."""
        return str(element.get("contenteditable", "false")).lower() != "false"

    def value(self, element: HtmlElement) -> str:
        """Return the current value of a field."""
        if self.edited(element):
            return self.names.text(element)
        return (element.text or "") if element.tag == "textarea" else (element.get("value") or "")

    def reads(self, element: HtmlElement, value: str) -> bool:
        """Whether a field has `value`, as far as the page shows."""
        # An editor makes paragraphs of a text, and other white space of its blanks.
        return self.value(element) == (clean(value) if self.edited(element) else value)

    def takes_files(self, element: HtmlElement) -> bool:
        """Whether the element is a file field."""
        return element.tag == "input" and (element.get("type") or "").lower() == "file"

    def files(self, element: HtmlElement) -> tuple[str, ...]:
        """Return the names of the chosen files of a file field."""
        return apart(element.get("value") or "")

    def checked(self, element: HtmlElement) -> bool:
        """Whether a checkbox, radio button or switch is on."""
        return element.get("checked") is not None or element.get("aria-checked") == "true"

    def options(self, element: HtmlElement) -> list[str]:
        """Return the texts of the options of a select."""
        return [self._option(option) for option in element.iter("option")]

    def chosen(self, element: HtmlElement) -> str:
        """Return the text of the selected option of a select; "" if there is none."""
        options = list(element.iter("option"))
        picked = [option for option in options if option.get("selected") is not None]
        # If several options of a single-choice list are selected, browsers keep the last.
        return self._option(picked[-1]) if picked else ""

    def _option(self, option: HtmlElement) -> str:
        return clean(option.get("label") or option.text_content())

    def leads_here(self, element: HtmlElement) -> bool:
        """Whether a link leads to its own page."""
        href = element.get("href")
        # A fragment is a place on the page and not another page.
        return href is not None and urldefrag(urljoin(self.url, href)).url == urldefrag(self.url).url

    def selector(self, element: HtmlElement) -> str:
        """Return a CSS selector for this element alone, valid for this observation."""
        identifier = element.get("id")
        # As an attribute and not as `#id`: ids may begin with a digit, which CSS names cannot.
        if identifier and '"' not in identifier and "\\" not in identifier and self._ids.get(identifier) == 1:
            return f'[id="{identifier}"]'
        # Positions and not classes: under a mode every element has its own class, which changes at each load.
        return " > ".join(reversed([_position(ancestor) for ancestor in (element, *element.iterancestors())]))

    @cached_property
    def _ids(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for identifier in self.root.xpath("descendant-or-self::*/@id"):
            counts[identifier] = counts.get(identifier, 0) + 1
        return counts

    def surface(self, element: HtmlElement) -> HtmlElement:
        """Return the element that a pointer can hit: the element itself, or its label if it is invisible."""
        if self.shown(element):
            return element
        return next((label for label in self.names.labels(element) if self.shown(label)), element)

    def centre(self, element: HtmlElement) -> tuple[float, float]:
        """Return the middle of the element's box; raises LookupError if it has none."""
        box = self._boxes.get(element)
        if box is None:
            raise LookupError("the element has no box")
        return box[0] + box[2] / 2, box[1] + box[3] / 2

    def style_signature(self, element: HtmlElement) -> str:
        """Return the styling of an element and its surroundings: every attribute except names, positions and values."""
        elements: list[HtmlElement] = [*element.iter("*"), *self.names.labels(element)]
        # A control is often styled by the box around it; further up, the page itself would be compared.
        above = [
            ancestor for ancestor in element.iterancestors() if ancestor.tag not in ("html", "body", "main", "form")
        ][:2]
        return repr([self._dress(related) for related in (*elements, *above)])

    @cached_property
    def style_counts(self) -> Counter[str]:
        """How often each tag with the same attributes occurs on the page: a reloaded page may be styled differently."""
        return Counter(self._dress(element) for element in self.root.iter("*"))

    @staticmethod
    def _dress(element: HtmlElement) -> str:
        attributes = sorted((key, value) for key, value in element.attrib.items() if key not in _STATES)
        return f"{element.tag} {attributes}"

    def digest(self, but: Iterable[str] = ()) -> str:
        """Return a hash of what distinguishes two pages for a person: address, words and values, without styling.

        The words in `but` are ignored, and so are suggestions of fields.
        """
        text = self._lasting
        for passing in but:
            text = clean(text.replace(passing, " "))
        state = hashlib.blake2b(digest_size=16)
        # No markup: classes and attributes change with every load of a disturbed page, and mean nothing.
        for part in (self.url, text, *self._values()):
            state.update(part.encode() + b"\x1f")
        return state.hexdigest()

    @cached_property
    def text(self) -> str:
        """All visible words, white space collapsed."""
        return self.names.text(self.root)

    @property
    def _lasting(self) -> str:
        """The visible words, without open lists below fields, which close when the focus leaves."""
        offered = {listbox for listbox in self.any_of(("listbox",)) if listbox.tag != "select"}
        if not offered:
            return self.text
        return Names(self.root, lambda node: node in offered or self._unseen(node)).text(self.root)

    def _values(self) -> Iterator[str]:
        for field in self.root.iter(*_FIELDS):
            # The value of a button is its name, and hidden fields are invisible.
            if not self._reachable(field) or field.get("type") in _PRESSED:
                continue
            yield self.chosen(field) if field.tag == "select" else clean(self.value(field))
            yield "on" if self.checked(field) else ""

    def accessible_name(self, element: HtmlElement) -> str:
        """Return the accessible name of an element."""
        return self.names.name(element)

    def visible_text(self, element: HtmlElement) -> str:
        """Return all visible words of an element, white space collapsed."""
        return self.names.text(element)

    def dialogs(self) -> list[HtmlElement]:
        """Return the visible dialogs in document order: the one that was opened last is usually at the end."""
        return [dialog for dialog in self.any_of(_DIALOGS) if dialog.tag != "dialog" or dialog.get("open") is not None]

    def inside(self, element: HtmlElement, holder: HtmlElement) -> bool:
        """Whether an element is `holder` or inside it."""
        return holder in (element, *element.iterancestors())

    def any_of(self, roles: Iterable[str]) -> list[HtmlElement]:
        """Return every visible element of one of `roles`, in document order."""
        wanted = frozenset(roles)
        return [element for element, element_role in self._controls if element_role in wanted and self.shown(element)]


def _list_of(row: HtmlElement) -> HtmlElement | None:
    """Return the list or table that a row belongs to; None if it stands alone."""
    return next((above for above in row.iterancestors() if role(above) in _LISTS), None)


def _position(element: HtmlElement) -> str:
    """Return a compound selector: the tag and its number among the siblings of that tag."""
    if element.getparent() is None:
        return str(element.tag)
    return f"{element.tag}:nth-of-type({1 + sum(1 for _ in element.itersiblings(element.tag, preceding=True))})"
