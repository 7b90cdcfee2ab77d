"""Paths of an episode's evidence, which may name rows of the final database."""

from collections.abc import Iterable, Iterator, Mapping
from string import Formatter
from typing import Any

from stressweb.core.templates import fill
from stressweb.plugins.expect import Names

# Placeholders for braces that are filled in after the episode; no drawn value and no path contains them.
_OPEN, _CLOSE = "\ue000", "\ue001"


class _LaterRow:
    """Stands for a row that is known after an episode: its columns give templates of themselves."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, column: str) -> str:
        return f"{_OPEN}{self._name}.{column}{_CLOSE}"


def named(paths: Iterable[str], names: Names, rows: frozenset[str]) -> Iterator[str]:
    """Yield paths filled with drawn values, in which the names of `rows` remain as templates: `/t/{made.id}`."""
    later = {name: _LaterRow(name) for name in rows}
    for path in paths:
        filled = fill(path, {**names, **later})
        # A drawn text may contain braces, and must not be taken for a template after the episode.
        if _OPEN in filled:
            filled = filled.replace("{", "{{").replace("}", "}}").replace(_OPEN, "{").replace(_CLOSE, "}")
        yield filled


def resolved(paths: Iterable[str], rows: frozenset[str], final: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each path with its final form, filled from the final rows; paths of missing rows are left out.

    `rows` are the names that stand for rows, and `final` has the existing ones.
    """
    for path in paths:
        about = {name for name in _roots(path) if name in rows}
        if about <= final.keys():
            yield path, fill(path, final) if about else path


def _roots(path: str) -> Iterator[str]:
    """Yield the names in the templates of a path."""
    try:
        fields = [field for _, field, _, _ in Formatter().parse(path) if field]
    # A drawn text with a lone brace: the path names no row.
    except ValueError:
        return
    yield from (field.partition(".")[0] for field in fields)
