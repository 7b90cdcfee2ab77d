"""The canonical form of a recorded page: the site's content, without additions of perturbations.

For one site state and one set of typed values it is the same in every condition. It is computed only from the recorded
document, never from clean bytes.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from urllib.parse import urlsplit

import lxml.html
from lxml import etree
from lxml.html import HtmlComment, HtmlElement

from stressweb.html.accessible_name import Names, clean, role
from stressweb.html.inner import is_inner

# Elements without readable or clickable content, including our own script.
_SILENT = ("script", "style", "template", "noscript", "base")
_HEAD = ("link", "meta")
_FIELDS = ("input", "select", "textarea", "option", "button")

type Line = tuple[str, ...]
type SaysStates = Callable[[HtmlElement], Iterable[str]]


def document(html: str) -> HtmlElement:
    """Parse a recorded document; an empty one gives an empty page."""
    # lxml raises an exception for an empty document.
    return lxml.html.document_fromstring(html if html.strip() else "<html></html>", _parser())


@cache
def _parser() -> lxml.html.HTMLParser:
    """Return a parser whose elements are all of one class."""
    parser = lxml.html.HTMLParser()
    # By default lxml calls a Python function for each element to choose a class by its tag, and nothing here needs the
    # classes for forms and fields.
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=HtmlElement, comment=HtmlComment))
    return parser


def site_tree(html: str) -> HtmlElement:
    """Return the tree of a page without elements that have no readable or clickable content."""
    root = document(html)
    drop_silent(root)
    return root


def drop_silent(root: HtmlElement) -> None:
    """Remove elements without readable or clickable content from a tree."""
    # A list first, because the tree must not change during an iteration.
    for element in [*root.iter(etree.Comment, *_SILENT, *_HEAD)]:
        # A template of a shadow root or of a frame has drawn content.
        if is_inner(element):
            continue
        # Link and meta elements may carry microdata, and no other content.
        if element.tag not in _HEAD or element.get("itemprop") is None:
            element.drop_tree()


def lines(root: HtmlElement, states: SaysStates = lambda element: ()) -> Iterator[Line]:
    """Yield the canonical form of a site's tree, a tuple for each element and each text, in document order.

    `states` returns words for states of an element that its markup does not show.
    """
    yield from _element(root, Names(root), states)


def digest(html: str) -> str:
    """Return the canonical form of a page as 32 hexadecimal digits."""
    return digest_of(lines(site_tree(html)))


def digest_of(form: Iterable[Line]) -> str:
    """Return the lines of a canonical form as 32 hexadecimal digits."""
    state = hashlib.blake2b(digest_size=16)
    for line in form:
        # `clean` treats both separators as white space, so no text can contain one and look like two.
        state.update("\x1f".join(line).encode() + b"\x1e")
    return state.hexdigest()


def _element(element: HtmlElement, names: Names, states: SaysStates) -> Iterator[Line]:
    element_role = role(element)
    yield (
        "<",
        element_role,
        names.name(element) if element_role else "",
        address(element),
        *(f"{name}={clean(element.get(name))}" for name in _STATED if element.get(name) is not None),
        *field_state(element),
        *states(element),
    )
    yield from _text(element.text)
    for child in element:
        if isinstance(child.tag, str):
            yield from _element(child, names, states)
        yield from _text(child.tail)
    # The end is included, so that an element that moves out of another one is a difference.
    yield (">", element_role)


# Attributes that a page shows or its forms send. Class, id and style are missing, because modes may change them.
_STATED = ("itemscope", "itemtype", "itemprop", "content", "datetime", "alt", "title", "placeholder", "name", "type")


def address(element: HtmlElement) -> str:
    """Return the target of an element: its href, its form's action and method, or the address of its picture."""
    for name in ("href", "action", "src", "formaction"):
        if (value := element.get(name)) is not None:
            parts = urlsplit(value.strip())
            # Without host and port, which depend on where a site is served.
            return f"{parts._replace(scheme='', netloc='').geturl()}{(element.get('method') or '').lower()}"
    return ""


def field_state(element: HtmlElement) -> tuple[str, ...]:
    """Return value, checked, selected and disabled of a form field, as recorded live."""
    if element.tag not in _FIELDS:
        return ()
    value = element.text if element.tag == "textarea" else element.get("value")
    flags = [flag for flag in ("checked", "selected", "disabled") if element.get(flag) is not None]
    return (clean(value or ""), *flags)


def _text(text: str | None) -> Iterator[Line]:
    if text and (seen := clean(text)):
        yield ("=", seen)
