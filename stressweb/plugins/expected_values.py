"""Compares expected values with the content of the database."""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.templates import Bound, Scalar, fill
from stressweb.html.accessible_name import clean
from stressweb.plugins.expect import ANY, GUEST, Cell, Names

type Normalise = Callable[[str], str]
"""Returns a text without invisible white space."""


def lines(text: str) -> str:
    """Return a text with uniform line ends, and without invisible white space in its lines."""
    return "\n".join(map(clean, text.replace("\r\n", "\n").replace("\r", "\n").strip().split("\n")))


def fits(value: Cell, actual: Any, names: Names, normalised: Normalise = clean) -> bool:
    """Return whether the actual value of a column fits an expected value."""
    try:
        if isinstance(value, Bound):
            return value.holds(actual, names)
        expected = fill(_template(value), names)
    except KeyError:
        # The value refers to a row that was never added.
        return False
    return normalised(str(actual)) == normalised(expected)


def known(value: Cell, names: Names) -> str | None:
    """Return the text that a column must have; None if several fit, or if it is that of a row that was not added."""
    if isinstance(value, Bound) or value == ANY:
        return None
    try:
        return fill(_template(value), names)
    except KeyError:
        return None


def wanted(value: Cell, names: Names) -> str:
    """Return an expected value in words."""
    if isinstance(value, Bound):
        return str(value.model_dump(exclude_none=True))
    if (text := known(value, names)) is not None:
        return repr(text)
    return "that of a row that was not added" if value != GUEST else "that of a visitor"


def shown_values(value: Cell, actual: Any, names: Names, labels: Mapping[str, str]) -> frozenset[str]:
    """Return the texts that a page may show for a column: the actual and expected values, their labels or names."""
    texts = {str(actual)}
    # A reference to a row that was never added is shown nowhere.
    with contextlib.suppress(KeyError):
        texts |= {fill(template, names) for template in templates(value)}
    words = {labels[text] for text in texts if text in labels}
    rows = [row for row in names.values() if isinstance(row, Entity) and "name" in row]
    words |= {str(row["name"]) for row in rows if str(row.get("id")) in texts}
    return frozenset(clean(text) for text in texts | words if clean(text))


def templates(value: Cell) -> Iterable[Scalar]:
    """Return the templates in an expected value."""
    if not isinstance(value, Bound):
        return [_template(value)]
    bounds = (value.at_least, value.at_most, value.other_than, *(value.one_of or ()))
    return [bound for bound in bounds if bound is not None]


def escaped(value: Any) -> Any:
    """Return a drawn value as a template for exactly that value, with braces escaped."""
    return value.replace("{", "{{").replace("}", "}}") if isinstance(value, str) else value


def _template(value: Scalar) -> Scalar:
    return f"{{{GUEST}}}" if value == GUEST else value
