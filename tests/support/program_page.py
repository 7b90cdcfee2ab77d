"""Controls and elements of a document with their keys by an independent program, to compare with keys.js.

It reads the document with another parser and names elements with stressweb/html/accessible_name.py, so that page and
program share no line of code.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from typing import NamedTuple, cast

from lxml import etree
from lxml.html import HtmlElement

from stressweb.core.path_template import path_template
from stressweb.html.accessible_name import Names, clean, role
from stressweb.plugins.rule import PRESSED

ENTERED = frozenset(("textbox", "searchbox", "spinbutton", "combobox", "listbox", "slider", "entry"))
_CANDIDATES = frozenset(("a", "area", "button", "input", "select", "textarea", "summary", "form"))
# ARIA has no role for these inputs; without one they would not be controls.
_PLAIN_INPUTS = frozenset(("date", "time", "datetime-local", "month", "week", "color", "file"))
_UNSEEN = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
"""Characters without width, which count in no name."""
# Their contents are not HTML of this page: code, text, another namespace or another document.
_UNTOUCHED = frozenset(("script", "style", "template", "noscript", "svg", "math", "iframe", "object"))
_PARSER = etree.HTMLParser()


class Control(NamedTuple):
    """An element to press or to fill in."""

    element: HtmlElement
    role: str
    name: str
    key: str
    """Site, path template, role, name, target, ordinal among equals."""


class Node(NamedTuple):
    """An element of the body."""

    element: HtmlElement
    tag: str
    key: str
    """Tag, first text, href, ordinal among equals."""


class Page:
    """One document of a site, undisturbed."""

    def __init__(self, html: str, site: str, path: str, hosts: Collection[str] = ()) -> None:
        """Parse the document at `path` of a site, which is served at `hosts`, with port where it is not 80."""
        self.root = cast("HtmlElement", etree.fromstring(html, _PARSER))
        self.body: HtmlElement = self.root.find("body")
        self.place = f"{site} {path_template(path)}"
        """The beginning of all keys of controls."""
        self._hosts = frozenset(hosts)
        self.nodes = [*self._body_nodes()]
        self.controls = [*self._pressable_or_entered()]

    def relative(self, text: str) -> str:
        """Return a text with paths in place of absolute URLs of the site itself, so that it is the same at every host."""
        return _origins(self._hosts).sub("/", text) if self._hosts and "//" in text else text

    def _body_nodes(self) -> Iterator[Node]:
        seen = Counter[str]()
        skipped = 0
        for element in self.body.iterdescendants(etree.Element):
            if skipped:
                skipped -= 1
                continue
            if element.tag in _UNTOUCHED:
                # `iterdescendants` cannot skip a subtree, so count its elements.
                skipped = sum(1 for _ in element.iterdescendants(etree.Element))
                continue
            text = self.relative(_UNSEEN.sub("", element.text or ""))
            description = f"{element.tag} {text[:48].strip()} {self.relative(element.get('href') or '')}"
            seen[description] += 1
            yield Node(element, element.tag, f"{description} {seen[description]}")

    def _pressable_or_entered(self) -> Iterator[Control]:
        names, seen = Names(self.root), Counter[str]()
        for element, tag, _ in self.nodes:
            if tag not in _CANDIDATES and element.get("role") is None and element.get("onclick") is None:
                continue
            control_role = _control_role(element)
            if control_role in PRESSED or control_role in ENTERED:
                name = names.name(element)
                place = f"{self.place} {control_role} {self.relative(name)} {self.relative(_target(element))}"
                seen[place] += 1
                yield Control(element, control_role, name, f"{place} #{seen[place]}")


@cache
def _origins(hosts: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern for the part of an absolute URL before the path, only for URLs of these hosts."""
    either = "|".join(re.escape(host) for host in sorted(hosts))
    # The lookahead rejects a longer name, and another port, with the same beginning.
    return re.compile(rf"(?:https?:)?//(?:{either})(?::80)?(?![\w.:-])/?", re.IGNORECASE)


def _control_role(element: HtmlElement) -> str:
    """Return the role of an element for gestures; a form without a button is pressed itself, by Enter in a field."""
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
