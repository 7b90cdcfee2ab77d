"""Paths of an episode's evidence pages, which may refer to rows of the final database."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from stressweb.core.templates import fill, roots
from stressweb.plugins.expect import Names

# Placeholders for the braces of templates that are filled after the episode; no drawn value or path contains them.
_OPEN, _CLOSE = "\ue000", "\ue001"


class _LaterRow:
    """Placeholder for a row of the final database: its columns are templates of themselves."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, column: str) -> str:
        return f"{_OPEN}{self._name}.{column}{_CLOSE}"


def named(paths: Iterable[str], names: Names, rows: frozenset[str]) -> Iterator[str]:
    """Yield paths filled with drawn values; references to `rows` remain as templates, such as `/t/{made.id}`."""
    later = {name: _LaterRow(name) for name in rows}
    for path in paths:
        filled = fill(path, {**names, **later})
        # Escape braces of drawn texts, so that they are not treated as templates after the episode.
        if _OPEN in filled:
            filled = filled.replace("{", "{{").replace("}", "}}").replace(_OPEN, "{").replace(_CLOSE, "}")
        yield filled


def resolved(paths: Iterable[str], rows: frozenset[str], final: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each path with its final form, filled from the final rows; paths of missing rows are left out.

    `rows` are the names of all rows; `final` has the existing rows by name.
    """
    for path in paths:
        # A path with a lone brace, out of a drawn text, refers to no row.
        references = roots(path) & rows
        if references <= final.keys():
            yield path, fill(path, final) if references else path
