"""Templates over drawn rows, and conditions on columns: what task files and site specs write values with."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

type Scalar = str | int | float | bool


class Bound(BaseModel):
    """What a column must satisfy where equality is not enough."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_least: float | str | None = None
    """A number, or a template; text is compared as text, in which days and times in ISO form sort as they follow."""
    at_most: float | str | None = None
    other_than: Scalar | None = None
    one_of: tuple[Scalar, ...] | None = None

    def holds(self, value: Any, names: Mapping[str, Any]) -> bool:
        """Whether `value` satisfies every part of the bound; templates are filled from `names`."""
        return (
            (self.at_least is None or value >= _limit(self.at_least, value, names))
            and (self.at_most is None or value <= _limit(self.at_most, value, names))
            # Equality is of texts here as in `matches`: "{line.count}" gives a text, and the column may hold a number.
            and (self.other_than is None or str(value) != fill(self.other_than, names))
            and (self.one_of is None or str(value) in {fill(choice, names) for choice in self.one_of})
        )


def _limit(limit: float | str, value: Any, names: Mapping[str, Any]) -> Any:
    """Return a limit as what it is compared with: a number for a number, text for text."""
    if not isinstance(limit, str):
        return limit
    # As text, "10" would be less than "9".
    return fill(limit, names) if isinstance(value, str) else float(fill(limit, names))


type Where = Mapping[str, Scalar | Bound]


def fill(template: Scalar, names: Mapping[str, Any]) -> str:
    """Return `template` with `{name}` and `{name.column}` replaced from `names`."""
    return template.format_map(names) if isinstance(template, str) else str(template)


def matches(row: Mapping[str, Any], where: Where, names: Mapping[str, Any]) -> bool:
    """Whether `row` satisfies `where`; equality compares as text, so that templates can name numbers."""
    return all(
        bound.holds(row[column], names) if isinstance(bound, Bound) else str(row[column]) == fill(bound, names)
        for column, bound in where.items()
    )


def matching[R: Mapping[str, Any]](rows: Iterable[R], where: Where, names: Mapping[str, Any]) -> list[R]:
    """Return the rows that satisfy `where`, as `matches` says; each template is filled once and not for every row."""
    left = list(rows)
    for column, bound in where.items():
        # A condition that no row comes to may name what is not there.
        if not left:
            break
        if isinstance(bound, Bound):
            left = [row for row in left if bound.holds(row[column], names)]
        else:
            text = fill(bound, names)
            left = [row for row in left if str(row[column]) == text]
    return left


def ordered[R: Mapping[str, Any]](rows: Iterable[R], columns: Iterable[str]) -> list[R]:
    """Return `rows` sorted by the first column, then the next; a leading minus sorts downwards, equals keep order."""
    result = list(rows)
    # Sorting is stable, so the column that counts most comes last. `reverse` keeps the order of equals, too.
    for column in reversed(tuple(columns)):
        name = column.removeprefix("-")
        result.sort(key=lambda row, name=name: row[name], reverse=column.startswith("-"))  # type: ignore[misc]
    return result
