"""A page on its way to the agent: its controls as the site made them, and the safe ways to change it."""

import copy
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from stressweb.accname import Names, clean, role
from stressweb.marks import Marks

PRESSED = frozenset(("link", "button", "checkbox", "radio", "switch", "menuitem", "tab"))
ENTERED = frozenset(("textbox", "searchbox", "spinbutton", "combobox", "listbox", "slider", "entry"))
_CANDIDATES = ("a", "area", "button", "input", "select", "textarea", "summary", "form")
_PLAIN_INPUTS = frozenset(("date", "time", "datetime-local", "month", "week", "color"))
_UNTOUCHED = frozenset(("script", "style", "template", "noscript", "svg", "math", "iframe", "object"))

ENCODED = 0xE000
"""Start of the private range that carries characters to be written as numeric references."""
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_TO_ENCODE = re.compile("[\ue000-\ue07f]")


@dataclass(frozen=True, slots=True)
class Control:
    """Something to press or to fill in, as it stands on the clean page."""

    element: HtmlElement
    role: str
    name: str
    key: str
    """What its draws depend on: host, path template, role, name, target, ordinal among equals."""
    token: str
    """Its mark in the served page."""

    @property
    def pressed(self) -> bool:
        """Whether a click or a key acts on it; otherwise it is filled in."""
        return self.role in PRESSED

    def __str__(self) -> str:
        """Name the control in the ledger."""
        return f"{self.role} {self.name!r}"


class Page:
    """One document of a site: read it as the site made it, change it, write it out.

    Every element of the body gets a mark; what a perturbation adds is made by `wrapper` and `added`, so that the
    canonical form can take it out again. `clean` facts (controls, nodes) are taken before anything is changed.
    """

    def __init__(self, html: str, host: str, path: str, marks: Marks, load: int = 0) -> None:
        """Parse a document that was asked for at `path`; `load` counts the episode's pages, so that marks differ."""
        self.root = lxml.html.document_fromstring(html)
        self.host = host
        self.path = path
        self.encodable = not re.search("[\ue000-\uf8ff]", html)
        self.fresh = marks.tokens(f"{host} {path} {load}")
        self.body: HtmlElement = self.root.find("body")
        self.nodes: list[tuple[HtmlElement, str]] = []
        """Every element of the body with the key of its draws, in document order."""
        self.tokens: dict[HtmlElement, str] = {}
        self.named_elsewhere: frozenset[str] = frozenset()
        """Every word in the style sheets and scripts that the page links to."""
        self.styles: dict[str, list[str]] = {}
        """Style declarations, and the tokens of the elements that they are for: no markup tells them."""
        self._mark_all()

    def style(self, element: HtmlElement, declarations: str) -> None:
        """Style an element of ours in the live page, without a trace in its markup."""
        self.styles.setdefault(declarations, []).append((element.get("class") or "").split()[-1])

    @property
    def template(self) -> str:
        """The path with every segment that holds a digit replaced, so that all pages of a kind share it."""
        return path_template(self.path)

    @cached_property
    def controls(self) -> list[Control]:
        """The controls of the page, in document order; read before the first change."""
        names = Names(self.root)
        seen: Counter[str] = Counter()
        return [self._control(element, what, names, seen) for element, what in self._candidates()]

    def wrapper(self, tag: str) -> HtmlElement:
        """Return a new element that may hold the site's own nodes; the canonical form dissolves it."""
        return self._new(tag, 1)

    def added(self, tag: str, classes: str = "") -> HtmlElement:
        """Return a new element that is ours with all it holds; the canonical form drops it."""
        return self._new(tag, 2, classes)

    def copied(self, element: HtmlElement) -> HtmlElement:
        """Return a copy of the site's element that is ours: without ids, with marks of its own all through."""
        twin = copy.deepcopy(element)
        twin.tail = None
        for node in twin.iter(etree.Element):
            node.attrib.pop("id", None)
            node.set("class", f"{self.classes(node)} {next(self.fresh)[2]}".lstrip())
        return twin

    def classes(self, element: HtmlElement) -> str:
        """Return an element's classes as the site wrote them."""
        return " ".join(name for name in (element.get("class") or "").split() if name not in self.marked)

    def serve(self) -> str:
        """Write the document out."""
        doctype = getattr(self.root.getroottree().docinfo, "doctype", None) or None
        text: str = lxml.html.tostring(self.root, encoding="unicode", doctype=doctype)
        return _TO_ENCODE.sub(lambda found: f"&#{ord(found[0]) - ENCODED};", text)

    @cached_property
    def named(self) -> frozenset[str]:
        """Ids and classes that a link, a style sheet or a script names, and that must therefore stay."""
        found = {word for node in self.root.iter("script", "style") for word in words(node.text or "")}
        found.update(href[1:] for element, _ in self.nodes if (href := element.get("href") or "").startswith("#"))
        return self.named_elsewhere | found

    @cached_property
    def marked(self) -> frozenset[str]:
        """The marks of the site's own elements."""
        return frozenset(self.tokens.values())

    def _mark_all(self) -> None:
        seen: Counter[str] = Counter()
        for element in _touchable(self.body):
            token = next(self.fresh)[0]
            classes = element.get("class")
            element.set("class", f"{classes} {token}" if classes else token)
            self.tokens[element] = token
            what = f"{element.tag} {(element.text or '')[:48].strip()} {element.get('href') or ''}"
            seen[what] += 1
            self.nodes.append((element, f"{what} {seen[what]}"))

    def _candidates(self) -> Iterator[tuple[HtmlElement, str]]:
        for element, _ in self.nodes:
            if element.tag not in _CANDIDATES and element.get("role") is None and element.get("onclick") is None:
                continue
            what = role(element)
            if element.tag == "form" and element.find(".//button") is None:
                what = "button"
            elif element.tag == "input" and (element.get("type") or "").lower() in _PLAIN_INPUTS:
                what = "entry"
            if what in PRESSED or what in ENTERED:
                yield element, what

    def _control(self, element: HtmlElement, what: str, names: Names, seen: Counter[str]) -> Control:
        name = names.name(element)
        place = f"{self.host}{self.template} {what} {name} {self._target(element)}"
        seen[place] += 1
        return Control(element, what, name, f"{place} #{seen[place]}", self.tokens[element])

    def _target(self, element: HtmlElement) -> str:
        if (href := element.get("href")) is not None:
            return str(href).strip()
        form = next((above for above in element.iterancestors("form")), None)
        return "" if form is None else clean(form.get("action") or "")

    def _new(self, tag: str, kind: int, classes: str = "") -> HtmlElement:
        element = lxml.html.Element(tag)
        token = next(self.fresh)[kind]
        element.set("class", f"{classes} {token}" if classes else token)
        return element


def words(source: str) -> set[str]:
    """Return what a style sheet or a script may name: every word in it."""
    return set(_WORD.findall(source))


def path_template(path: str) -> str:
    """Return a path with every segment that holds a digit replaced by `*`, and without its query."""
    segments = path.partition("?")[0].split("/")
    return "/".join("*" if any(letter.isdigit() for letter in segment) else segment for segment in segments)


def _touchable(body: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the body's elements in document order, but for scripts, pictures and what they hold."""
    stack = [*reversed(body)]
    while stack:
        element = stack.pop()
        if isinstance(element.tag, str) and element.tag not in _UNTOUCHED:
            yield element
            stack.extend(reversed(element))
