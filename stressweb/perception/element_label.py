"""Labels of elements for readers."""

from lxml.html import HtmlElement

from stressweb.html.accessible_name import role
from stressweb.perception.dom_view import DomView

_LONGEST_NAME = 80


def element_label(view: DomView, element: HtmlElement) -> str:
    """Return role and accessible name of an element; without them its tag and the text in it."""
    # An element with a role gets no text: a list or a table would be labelled with all of its content.
    name = view.accessible_name(element) or ("" if role(element) else view.visible_text(element))
    short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}…"
    kind = role(element) or str(element.tag)
    return f'{kind} "{short}"' if short else kind
