"""Dotted paths to the values that templates read, and conditions on these values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


def follow(path: str, names: Mapping[str, Any]) -> Any:
    """Return the value at a dotted path in `names`; raises KeyError or TypeError if there is none."""
    first, *rest = path.split(".")
    value = names[first]
    for name in rest:
        value = value[name]
    return value


@dataclass(frozen=True)
class Clause:
    """One part of a condition; `and` joins them."""

    path: str
    wanted: str | None
    """Text that the value at the path must equal; None if any non-empty value matches."""
    negated: bool

    def holds(self, names: Mapping[str, Any]) -> bool:
        """Return whether the clause holds."""
        try:
            value = follow(self.path, names)
        # The path may begin with a visitor who is not signed in, or with a row that this page does not have.
        except (KeyError, TypeError):
            value = None
        fulfilled = bool(value) if self.wanted is None else str(value) == self.wanted
        return fulfilled != self.negated


def clauses(condition: str) -> Iterator[Clause]:
    """Yield the clauses of `path`, `not path`, `path is value`, `not path is value`, joined by ` and `."""
    for text in condition.split(" and ") if condition else ():
        path, _, wanted = text.removeprefix("not ").partition(" is ")
        yield Clause(path.strip(), wanted.strip() or None, text.startswith("not "))


def holds(condition: str, names: Mapping[str, Any]) -> bool:
    """Return whether every clause of a condition holds; an empty condition holds."""
    return all(clause.holds(names) for clause in clauses(condition))
