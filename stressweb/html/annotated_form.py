"""The canonical form of an annotated copy: the site's content, and what a person sees of it.

Beyond canonical.py, which reads the markup of a page, it has states from the browser: visible, inert, disabled from
outside, read-only, open. It depends only on the state of the site, not on our nodes.
"""

from collections.abc import Iterator

from lxml.html import HtmlElement

from stressweb.html import canonical
from stressweb.html.accessible_name import clean
from stressweb.html.annotated import Annotated, States

_SEEN = States()
# Elements without semantics, whatever their look: they are silent and do not change their content.
_BARE = frozenset(("span", "div"))
_LOOKS = frozenset(("class", "id", "style"))


def digest(text: str) -> str:
    """Return the canonical form of an annotated copy as 32 hexadecimal digits; raises ValueError for another text."""
    return canonical.digest_of(lines(text))


def lines(text: str) -> Iterator[canonical.Line]:
    """Return the canonical form of an annotated copy, a tuple for each element and each text, in document order."""
    copy = Annotated(text, keep=speaks)
    canonical.drop_silent(copy.root)
    return canonical.lines(copy.root, lambda element: _unusual_states(copy, element))


def speaks(wrapper: HtmlElement) -> bool:
    """Return whether our wrapper changes the semantics of the site's nodes in it: by a role, a label, a state, a name.

    A bare wrapper, the only kind that modes may put around the site's nodes, has no semantics.
    """
    return wrapper.tag not in _BARE or not _LOOKS.issuperset(wrapper.attrib)


def _unusual_states(copy: Annotated, element: HtmlElement) -> list[str]:
    """Return the unusual states of an element, and the semantics of our wrapper."""
    states = copy.states[element]
    words = [] if states == _SEEN else [f"is {name}" for name, holds in states._asdict().items() if holds]
    if element in copy.wrappers:
        words += sorted(f"{name}={clean(value)}" for name, value in element.attrib.items() if name not in _LOOKS)
    return words
