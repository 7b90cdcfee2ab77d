"""The canonical form of an annotated copy: what the site said, and what a person sees of it.

Beside what canonical.py reads from the markup of a page, it has the states that the browser told: visible or not,
inert, disabled from outside, read-only, open. For one site state it is the same whatever is ours on the page.
"""

from collections.abc import Iterator

from lxml.html import HtmlElement

from stressweb.html import canonical
from stressweb.html.accessible_name import clean
from stressweb.html.annotated import Annotated, States

_SEEN = States()
# An element without a word of its own, to be looked at as it likes: neither is heard, nor changes what it holds.
_BARE = frozenset(("span", "div"))
_LOOKS = frozenset(("class", "id", "style"))


def digest(text: str) -> str:
    """Return the canonical form of an annotated copy as 32 hexadecimal digits; raises ValueError for another text."""
    return canonical.digest_of(lines(text))


def lines(text: str) -> Iterator[canonical.Line]:
    """Return the canonical form of an annotated copy, a tuple for each element and each text, in document order."""
    copy = Annotated(text, keep=speaks)
    canonical.drop_silent(copy.root)
    return canonical.lines(copy.root, lambda element: _said(copy, element))


def speaks(wrapper: HtmlElement) -> bool:
    """Return whether a wrapper of ours changes what the site's nodes in it are: by a role, a label, a state, a name.

    A bare one, which is all that a mode may put around nodes of the site, says nothing.
    """
    return wrapper.tag not in _BARE or not _LOOKS.issuperset(wrapper.attrib)


def _said(copy: Annotated, element: HtmlElement) -> list[str]:
    """Return the states of an element that are not as they are for most elements, and what a wrapper of ours says."""
    states = copy.states[element]
    words = [] if states == _SEEN else [f"is {name}" for name, holds in states._asdict().items() if holds]
    if element in copy.wrappers:
        words += sorted(f"{name}={clean(value)}" for name, value in element.attrib.items() if name not in _LOOKS)
    return words
