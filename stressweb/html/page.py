"""A page on its way to the agent: its controls as the site made them, and the safe ways to change it."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import cache, cached_property
from typing import NamedTuple, cast

from lxml import etree
from lxml.html import HtmlElement

from stressweb.core.path_template import path_template
from stressweb.html.accessible_name import Names, clean, role
from stressweb.html.marks import Kind, Marks

PRESSED = frozenset(("link", "button", "checkbox", "radio", "switch", "menuitem", "tab"))
ENTERED = frozenset(("textbox", "searchbox", "spinbutton", "combobox", "listbox", "slider", "entry"))
_CANDIDATES = frozenset(("a", "area", "button", "input", "select", "textarea", "summary", "form"))
# ARIA has no role for these inputs, and without one they would be no controls.
_PLAIN_INPUTS = frozenset(("date", "time", "datetime-local", "month", "week", "color"))
# What stands in these is no HTML of this page: it is code, text, another namespace or another document.
_UNTOUCHED = frozenset(("script", "style", "template", "noscript", "svg", "math", "iframe", "object"))

ENCODED = 0xE000
"""Start of the private range that carries characters to be written as numeric references."""
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_TO_ENCODE = re.compile("[\ue000-\ue07f]")
_WORD = re.compile(r"[A-Za-z_][\w-]*")

# The set of lxml.html looks at its value in Python, for every one of a thousand elements.
_set = etree._Element.set


class Control(NamedTuple):
    """Something to press or to fill in, as it stands on the clean page."""

    element: HtmlElement
    role: str
    name: str
    key: str
    """What its draws depend on: site, path template, role, name, target, ordinal among equals."""
    token: str
    """Its mark in the served page."""

    @property
    def pressed(self) -> bool:
        """Whether a click or a key acts on it; otherwise it is filled in."""
        return self.role in PRESSED

    def __str__(self) -> str:
        """Name the control in the ledger."""
        return f"{self.role} {self.name!r}"


class Node(NamedTuple):
    """An element of the body as the site made it."""

    element: HtmlElement
    tag: str
    key: str
    """What its draws depend on: tag, first text, href, ordinal among equals."""
    token: str
    """Its mark in the served page."""


class Page:
    """One document of a site: read it as the site made it, change it, write it out.

    Every element of the body gets a mark; what a perturbation adds is made by `wrapper` and `added`, so that the
    canonical form can take it out again. `controls` and `nodes` are facts of the clean page.
    """

    drawn = False
    """Whether scripts have drawn it since it was served, and only what they added is to be disturbed."""

    def __init__(
        self, html: str, site: str, path: str, marks: Marks, document: int = 0, hosts: Collection[str] = ()
    ) -> None:
        """Parse the document at `path` of a site.

        `site` is the site's id (`shop`), on which draws depend. `hosts` are the hosts, with port where it is not 80,
        at which the site is served: no draw depends on them. `document` is the number of the document in the episode,
        so that marks differ.
        """
        self.marks = marks
        self.document = document
        self.root = self._parsed(html)
        self.site = site
        self.hosts = frozenset(hosts)
        self.path = path
        self.source = html
        # If the page itself used characters of this range, they would be mistaken for our placeholders.
        self.encodable = not _PRIVATE.search(html)
        self.named_elsewhere: frozenset[str] = frozenset()
        """Every word in the style sheets and scripts that the page links to."""
        self.styles: dict[str, list[str]] = {}
        """Style declarations, and the tokens of the elements that they are for: no markup tells them."""
        self.loads = 0
        """How many pages of this template the episode loaded before."""
        self.lets: Callable[[str, str], bool] = _anything
        """Says whether a mode may do something at a place, by its key; where a cause is looked for, not everything."""
        self.body: HtmlElement = self.root.find("body")
        self._fresh = [marks.tokens(document, kind) for kind in Kind]
        self._pool: list[str] = []
        self.every_node = self.nodes = [*self._marked()]
        self.every_control = self.controls = [*self._found()]

    @cached_property
    def known(self) -> set[str]:
        """The marks on the site's own elements."""
        return {node.token for node in self.every_node}

    @property
    def template(self) -> str:
        """The path with every segment that holds a digit replaced, so that all pages of a kind share it."""
        return path_template(self.path)

    @property
    def place(self) -> str:
        """What every key on this page begins with: site and path template, the same at whatever host it is served."""
        return f"{self.site} {self.template}"

    def relative(self, text: str) -> str:
        """Return a text in which absolute URLs of the site itself are paths, as they are at every host."""
        return _origins(self.hosts).sub("/", text) if self.hosts and "//" in text else text

    def wrapper(self, tag: str) -> HtmlElement:
        """Return a new element that may hold the site's own nodes; the canonical form dissolves it."""
        return self._new(tag, Kind.WRAPPER)

    def added(self, tag: str, classes: str = "") -> HtmlElement:
        """Return a new element that is ours with all it holds; the canonical form drops it."""
        return self._new(tag, Kind.ADDED, classes)

    def token(self) -> str:
        """Return a fresh mark that says nothing new of an element of the site."""
        return next(self._fresh[Kind.ORIGINAL])

    def pool(self, size: int) -> list[str]:
        """Return marks for nodes of ours that are made in the live page, one after the other: always the same ones."""
        while len(self._pool) < size:
            self._pool.append(next(self._fresh[Kind.ADDED]))
        return self._pool[:size]

    def classes(self, element: HtmlElement) -> str:
        """Return the classes of an element of the site as it wrote them; the mark is the last one."""
        return (element.get("class") or "").rpartition(" ")[0]

    def style(self, element: HtmlElement, declarations: str) -> None:
        """Style an element of ours in the live page, without a trace in its markup."""
        self.styles.setdefault(declarations, []).append((element.get("class") or "").rpartition(" ")[2])

    def serve(self) -> str:
        """Write the document out."""
        doctype = getattr(self.root.getroottree().docinfo, "doctype", None) or ""
        text = str(etree.tostring(self.root, encoding="unicode", method="html"))
        # lxml leaves it out where it writes an element, and without it the browser would lay the page out in quirks
        # mode.
        text = f"{doctype}\n{text}" if doctype else text
        # Only now: lxml would have escaped the ampersand of a reference that stood in the tree.
        return _TO_ENCODE.sub(lambda found: f"&#{ord(found[0]) - ENCODED};", text)

    def names(self, word: str) -> bool:
        """Return whether a link, a style sheet or a script names an id or a class, so that it must stay."""
        return word in self.named_elsewhere or word in self._named_here

    @cached_property
    def _named_here(self) -> frozenset[str]:
        found = {word for node in self.root.iter("script", "style") for word in words(node.text or "")}
        # A link within the page names an id behind its `#`.
        found.update(one.element.get("href", "")[1:] for one in self.controls if one.role == "link")
        return frozenset(found)

    def _parsed(self, html: str) -> HtmlElement:
        # Elements of the plain parser: those of lxml.html cost a call of Python each.
        return cast("HtmlElement", etree.fromstring(html, _PARSER))

    def _mark(self, element: HtmlElement) -> str:
        """Give an element of the site its mark."""
        token, classes = next(self._fresh[Kind.ORIGINAL]), element.get("class")
        _set(element, "class", f"{classes} {token}" if classes else token)
        return token

    def _marked(self) -> Iterator[Node]:
        mark, seen = self._mark, Counter[str]()
        beyond = 0
        for element in self.body.iterdescendants(etree.Element):
            if beyond:
                beyond -= 1
                continue
            tag = element.tag
            if tag in _UNTOUCHED:
                # An iteration cannot leave out a subtree, so the elements of this one are counted off.
                beyond = sum(1 for _ in element.iterdescendants(etree.Element))
                continue
            token = mark(element)
            text = self.relative(element.text or "")
            what = f"{tag} {text[:48].strip()} {self.relative(element.get('href') or '')}"
            seen[what] += 1
            yield Node(element, tag, f"{what} {seen[what]}", token)

    def _found(self) -> Iterator[Control]:
        names, seen = Names(self.root), Counter[str]()
        start = self.place
        for node in self.nodes:
            element = node.element
            # Most elements are passed over here: a page has a thousand of them, and only few can be controls.
            if node.tag not in _CANDIDATES and element.get("role") is None and element.get("onclick") is None:
                continue
            what = _control_role(element)
            if what in PRESSED or what in ENTERED:
                name = names.name(element)
                # No markup is part of a key, so that what a mode rewrites cannot move a draw.
                place = f"{start} {what} {self.relative(name)} {self.relative(_target(element))}"
                seen[place] += 1
                yield Control(element, what, name, f"{place} #{seen[place]}", node.token)

    def _new(self, tag: str, kind: Kind, classes: str = "") -> HtmlElement:
        element = self.body.makeelement(tag)
        token = next(self._fresh[kind])
        _set(element, "class", f"{classes} {token}" if classes else token)
        return element


_PARSER = etree.HTMLParser()


def _anything(what: str, key: str) -> bool:
    return True


@cache
def _origins(hosts: frozenset[str]) -> re.Pattern[str]:
    """Return what matches the part of an absolute URL in front of the path, for URLs of these hosts alone."""
    either = "|".join(re.escape(host) for host in sorted(hosts))
    # The part after the host refuses a longer name, and another port, that begins as this one does.
    return re.compile(rf"(?:https?:)?//(?:{either})(?::80)?(?![\w.:-])/?", re.IGNORECASE)


def words(source: str) -> set[str]:
    """Return what a style sheet or a script may name: every word in it."""
    return set(_WORD.findall(source))


def _control_role(element: HtmlElement) -> str:
    """Return the role that a gesture sees; a form without a button is pressed itself, by Enter in a field."""
    if element.tag == "form":
        return "" if element.find(".//button") is not None else "button"
    if element.tag == "input" and (element.get("type") or "").lower() in _PLAIN_INPUTS:
        return "entry"
    return role(element)


def _target(element: HtmlElement) -> str:
    if (href := element.get("href")) is not None:
        return str(href).strip()
    form = next(element.iterancestors("form"), None)
    return "" if form is None else clean(form.get("action") or "")
