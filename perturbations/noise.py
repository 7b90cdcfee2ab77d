"""Noise: the document shows the same text with more nodes, more text runs, other names, and decoys."""

import re
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from lxml.html import HtmlElement

from stressweb.core.draws import Seeds, units
from stressweb.html.accessible_name import INVISIBLE, clean
from stressweb.html.page import ENCODED, Page
from stressweb.plugins.perturbation import Perturbation, Rate, Stage, table

type Operator = Callable[[HtmlElement, bytes], bool]

_PHRASING = frozenset((
    "a", "abbr", "b", "bdi", "br", "cite", "code", "del", "em", "i", "img", "ins", "kbd", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup", "svg", "time", "u", "var", "wbr",
))  # fmt: skip
_HOLDERS = frozenset((
    "a", "b", "button", "caption", "cite", "dd", "dt", "em", "figcaption", "h1", "h2", "h3", "h4", "h5", "h6",
    "label", "legend", "li", "p", "small", "span", "strong", "summary", "td", "th", "time",
))  # fmt: skip
_BAITED = frozenset(("h1", "h2", "h3", "h4", "p"))
_ENCODED = _HOLDERS | {"option"}
_DECOYED = frozenset(("p", "li", "a", "h2", "h3", "button"))
_COPIED = frozenset(("a", "button"))
# These hold certain elements only: the browser's parser would move any other out of a table and drop it in a select.
_STRICT = frozenset(("tr", "table", "tbody", "thead", "select", "dl"))
_PLAIN_WORD = re.compile(r"\b[A-Z]?[a-z]{3,11}\b")
_REFERENCES = (
    "for", "form", "list", "headers", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns",
    "aria-details", "aria-activedescendant", "aria-errormessage", "popovertarget",
)  # fmt: skip
_WIDTHLESS = "\u200b\u200c\u200d\u2060\ufeff"
# Important, because decoys and copies take classes of the page, and Bootstrap's `d-flex` is important as well.
_HIDDEN = "display:none!important"
_CHIP = (
    "display:inline-block;margin:4px 8px 4px 0;padding:3px 12px;border:1px solid currentColor;border-radius:12px;"
    "background:transparent;color:inherit;font:400 13px/1.5 system-ui,sans-serif;opacity:.85"
)


class Noise(Perturbation):
    """Adds wrappers, decoys, duplicates and zero-width characters, splits and encodes text, renames ids and classes.

    Delivered: a changed page was served. Met: the agent acted on a changed page. Overcome: never, since nothing has to
    be: the text stays readable in the same order, and every control of the site can still be pressed. Decoys do
    nothing. Their names are words of the page, but never the name of a real control. Elements that the page's own
    scripts add later stay unchanged.
    """

    mode: ClassVar[str] = "noise"
    stage = Stage.PERCEPTION
    severities = table(density=(0.1, 0.2, 0.35, 0.5, 0.7))
    divisible = True

    density: Rate = 0.35
    """Share of the places open to an operator that it changes; the same for every operator."""

    def rewrite(self, page: Page, seeds: Seeds) -> int:
        """Change the page by every operator in turn."""
        return _Rewriting(self.density, page, seeds).run()

    def restore(self, value: str) -> str:
        """Return a submitted name or value without the characters that noise may have put into its source."""
        # Nothing that noise adds to a text is ASCII, and nearly all values are.
        return value if value.isascii() else value.translate(_UNSEEN)


_UNSEEN = {code: None for code in INVISIBLE if chr(code) in _WIDTHLESS}


class _Rewriting:
    """The operators at work on one page: eight draws of one digest for each element, one for each operator."""

    def __init__(self, density: float, page: Page, seeds: Seeds) -> None:
        self.density = density
        self.page = page
        self.draw = seeds.drawer("noise")
        self.words = _words(page)
        self.classes: dict[str, str] = {}
        self.copyable = {
            one.element: one.name for one in page.controls if one.role == "link" or one.element.tag == "button"
        }
        self.names = frozenset(control.name.casefold() for control in page.controls)
        # A node more within these would be pressed together with them and would change their names.
        self.nested = frozenset(page.root.xpath("body//*[self::a or self::button or self::label or self::summary]//*"))
        self.digests: list[bytes] = []

    def run(self) -> int:
        """Let every operator act where its draw says so; return how many places changed."""
        if not self.density:
            return 0
        changes = self.rename_ids()
        nodes, lets = self.page.nodes, self.page.lets
        # One digest for an element gives the draws of all eight operators: a draw of its own for each took twenty times
        # as long, and a page has a thousand elements.
        self.digests = [self.draw(node.key) for node in nodes]
        draws = np.frombuffer(b"".join(self.digests), dtype=">u8").reshape(-1, 8)
        # As whole numbers: 2.0**64 - 1 is 2.0**64, which no 64 bits hold.
        hits = draws < np.uint64(min(int(self.density * 2.0**64), 2**64 - 1))
        # The order is part of the result: three operators look for the text where `wrap` has left it, and decoys take
        # the classes of the page before `dress` renames them.
        operators: tuple[tuple[frozenset[str] | None, Operator], ...] = (
            (_HOLDERS, self.wrap), (_HOLDERS, self.split), (_HOLDERS, self.widen), (_ENCODED, self.encode),
            (_DECOYED, self.hide_decoy), (_BAITED, self.show_decoy), (_COPIED, self.duplicate), (None, self.dress),
        )  # fmt: skip
        for column, (tags, operator) in enumerate(operators):
            for row in np.flatnonzero(hits[:, column]).tolist():
                if (tags is None or nodes[row].tag in tags) and lets(operator.__name__, nodes[row].key):
                    changes += operator(nodes[row].element, self.digests[row])
        return changes

    def wrap(self, element: HtmlElement, data: bytes) -> bool:
        """Put everything in an element that holds running text into one more span."""
        if not _runs(element):
            return False
        wrapper = self.page.wrapper("span")
        wrapper.text, element.text = element.text, None
        # A list, because each child leaves the element while it is walked through.
        wrapper.extend(list(element))
        element.append(wrapper)
        return True

    def split(self, element: HtmlElement, data: bytes) -> bool:
        """Cut the first text of an element into runs; one span around keeps them together in a flex container."""
        holder = _textual(element)
        if holder is None or len(clean(holder.text or "")) < 4:
            return False
        text = holder.text or ""
        cut = 1 + _place(data, 1, len(text) - 2)
        whole, piece = self.page.wrapper("span"), self.page.wrapper("span")
        end = cut + max(1, (len(text) - cut) // 2)
        whole.text, piece.text, piece.tail = text[:cut], text[cut:end], text[end:]
        whole.append(piece)
        holder.text = None
        holder.insert(0, whole)
        return True

    def widen(self, element: HtmlElement, data: bytes) -> bool:
        """Put characters without width between the letters of an element's first text."""
        holder = _textual(element)
        if holder is None or not holder.text or not holder.text.strip():
            return False
        text, kind = holder.text, _WIDTHLESS[_place(data, 2, len(_WIDTHLESS))]
        step = 3 + _place(data, 2, 5)
        holder.text = kind.join(text[at : at + step] for at in range(0, len(text), step))
        return True

    def encode(self, element: HtmlElement, data: bytes) -> bool:
        """Write some letters of an element's first text as numeric references."""
        holder = _textual(element)
        text = "" if holder is None else holder.text
        if holder is None or not text or not self.page.encodable:
            return False
        every = 2 + _place(data, 3, 3)
        holder.text = "".join(
            # ASCII alone has a place in the private range, which `Page.serve` writes as references.
            chr(ENCODED + ord(letter)) if not at % every and "0" <= letter <= "z" else letter
            for at, letter in enumerate(text)
        )
        return True

    def hide_decoy(self, element: HtmlElement, data: bytes) -> bool:
        """Add a link or a text that the style sheet hides, behind an element that holds running text."""
        if not self.words or self.structured(element):
            return False
        decoy = self.page.added("a", self.page.classes(element)) if element.tag == "a" else self.page.added("span")
        if element.tag == "a":
            decoy.set("href", element.get("href") or "/")
        decoy.text = self.phrase(data, 4)
        self.page.style(decoy, _HIDDEN)
        # Behind a link and never in it: the browser's parser ends a link where another one begins.
        if element.tag in ("a", "button"):
            _after(element, decoy)
        else:
            element.append(decoy)
        return True

    def show_decoy(self, element: HtmlElement, data: bytes) -> bool:
        """Add a visible button that does nothing behind a heading or a paragraph; it looks like the page's own."""
        if not self.words or self.structured(element):
            return False
        phrase = self.phrase(data, 5)
        if phrase.casefold() in self.names:
            return False
        like = next((one for one in self.copyable if one.tag == "button"), None)
        decoy = self.page.added("button", "" if like is None else self.page.classes(like))
        # A button without a type submits the form that it stands in, and a decoy must do nothing.
        decoy.set("type", "button")
        decoy.text = phrase
        # On a page without a button there is none to look like.
        if like is None:
            self.page.style(decoy, _CHIP)
        _after(element, decoy)
        return True

    def duplicate(self, element: HtmlElement, data: bytes) -> bool:
        """Put a hidden copy in front of a link or a button."""
        name = self.copyable.get(element)
        if not name or self.structured(element):
            return False
        twin = self.page.added(element.tag, self.page.classes(element))
        twin.text = name
        # A copy of a button must never become the one that Enter presses.
        twin.set(*("href", element.get("href")) if element.tag == "a" else ("type", "button"))
        self.page.style(twin, _HIDDEN)
        # In front, so that an agent that takes the first match of a name gets the copy, which cannot be pressed.
        element.addprevious(twin)
        return True

    def dress(self, element: HtmlElement, data: bytes) -> bool:
        """Give an element a class that means nothing, and new names to those of its own that nothing refers to."""
        own, _, mark = (element.get("class") or "").rpartition(" ")
        kept = [name if self.page.names(name) else self.rename(name) for name in own.split()]
        # The mark stays last, where `Page.classes` and `Page.style` look for it.
        element.set("class", " ".join([self.page.token(), *kept, mark]))
        return True

    def rename(self, name: str) -> str:
        """Return the new name of a class, the same one all over the page."""
        return self.classes.setdefault(name, self.page.token())

    def rename_ids(self) -> int:
        """Rename ids with every reference to them; those that a link, a style sheet or a script names stay."""
        page, renamed = self.page, dict[str, str]()
        # A drawing refers to ids by url() in any of its attributes, and those are not rewritten.
        for element in page.root.xpath("body//*[@id][not(ancestor-or-self::svg)]"):
            old = element.get("id")
            drawn = not page.names(old) and units(self.draw(f"id {old}"))[0] < self.density
            if drawn and page.lets("rename_ids", old):
                renamed[old] = page.token()
                element.set("id", renamed[old])
        for name in _REFERENCES if renamed else ():
            # Most pages have few of these attributes, and a search of the text is cheaper than one of the tree.
            if f"{name}=" in page.source:
                for element in page.root.xpath(f"body//*[@{name}]"):
                    element.set(name, " ".join(renamed.get(part, part) for part in element.get(name).split()))
        return len(renamed)

    def structured(self, element: HtmlElement) -> bool:
        """Return whether a sibling more would break what stands around: a list, a table, a link over several parts."""
        parent = element.getparent()
        if parent is None or element in self.nested or parent.tag in _STRICT:
            return True
        return parent.tag in ("ul", "ol") and element.tag != "li"

    def phrase(self, data: bytes, operator: int) -> str:
        """Return two words of the page."""
        first = _place(data, operator, len(self.words))
        second = (first + 1 + _place(data, operator - 1, len(self.words))) % len(self.words)
        return f"{self.words[first]} {self.words[second].lower()}"


def _place(data: bytes, operator: int, size: int) -> int:
    """Return a position below `size`, independent of whether the operator applies."""
    # The lowest byte of the operator's draw: whether it acts at all is decided by the highest ones.
    return data[8 * operator + 7] * size >> 8


def _words(page: Page) -> list[str]:
    """Return words that the page itself uses, each once, in the order of the page."""
    texts = (node.element.text for node in page.nodes if node.tag in ("a", "p", "li", "span"))
    found = _PLAIN_WORD.findall(" ".join(filter(None, texts))[:4096])
    # One byte of a draw chooses a word, so that more than 256 could not all be reached.
    return list(dict.fromkeys(word.capitalize() for word in found))[:256]


def _textual(element: HtmlElement) -> HtmlElement | None:
    """Return where an element's first text stands: in itself, or in the wrapper that took it."""
    if element.text is None and len(element) and element[0].tag == "span" and element[0].text:
        return element[0]
    return element if element.text else None


def _runs(element: HtmlElement) -> bool:
    return bool(len(element) or element.text) and all(child.tag in _PHRASING for child in element)


def _after(element: HtmlElement, node: HtmlElement) -> None:
    """Put a node right behind an element, in front of the text that follows it."""
    node.tail, element.tail = element.tail, None
    element.addnext(node)
