"""Templates and column conditions in task files and site specs, filled from drawn rows."""

from collections.abc import Iterable, Mapping
from string import Formatter
from typing import Any

from pydantic import BaseModel, ConfigDict

type Scalar = str | int | float | bool


class Bound(BaseModel):
    """A condition on a column other than equality."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_least: float | str | None = None
    """A number, or a template. Texts are compared as texts; days and times in ISO format sort in their order."""
    at_most: float | str | None = None
    other_than: Scalar | None = None
    one_of: tuple[Scalar, ...] | None = None

    def holds(self, value: Any, names: Mapping[str, Any]) -> bool:
        """Whether `value` satisfies every part of the bound; templates are filled from `names`."""
        return (
            (self.at_least is None or value >= _limit(self.at_least, value, names))
            and (self.at_most is None or value <= _limit(self.at_most, value, names))
            # Compared as texts, as in `matches`: "{line.count}" is a text, and the column may be a number.
            and (self.other_than is None or str(value) != fill(self.other_than, names))
            and (self.one_of is None or str(value) in {fill(choice, names) for choice in self.one_of})
        )


def _limit(limit: float | str, value: Any, names: Mapping[str, Any]) -> Any:
    """Return a limit in the type of the value: a number or a text."""
    if not isinstance(limit, str):
        return limit
    # As text, "10" would be less than "9".
    return fill(limit, names) if isinstance(value, str) else float(fill(limit, names))


type Where = Mapping[str, Scalar | Bound]


def fill(template: Scalar, names: Mapping[str, Any]) -> str:
    """Return `template` with `{name}` and `{name.column}` replaced from `names`."""
    return template.format_map(names) if isinstance(template, str) else str(template)


def roots(template: str) -> set[str]:
    """Return the names that a template refers to: `friend` for `{friend.name}`; none if it has a lone brace."""
    try:
        fields = [field for _, field, _, _ in Formatter().parse(template) if field]
    except ValueError:
        return set()
    return {field.partition(".")[0] for field in fields}


def matches(row: Mapping[str, Any], where: Where, names: Mapping[str, Any]) -> bool:
    """Whether `row` satisfies `where`; equality compares as text, so that templates can name numbers."""
    return all(
        bound.holds(row[column], names) if isinstance(bound, Bound) else str(row[column]) == fill(bound, names)
        for column, bound in where.items()
    )


def matching[R: Mapping[str, Any]](rows: Iterable[R], where: Where, names: Mapping[str, Any]) -> list[R]:
    """Return the rows that satisfy `where`, as in `matches`, but fill each template only once."""
    matched = list(rows)
    for column, bound in where.items():
        # Without rows, the remaining conditions may name missing columns.
        if not matched:
            break
        if isinstance(bound, Bound):
            matched = [row for row in matched if bound.holds(row[column], names)]
        else:
            text = fill(bound, names)
            matched = [row for row in matched if str(row[column]) == text]
    return matched


def ordered[R: Mapping[str, Any]](rows: Iterable[R], columns: Iterable[str]) -> list[R]:
    """Return `rows` sorted by the first column, then the next. A leading minus sorts downwards; the sort is stable."""
    sorted_rows = list(rows)
    # The sort is stable, also with `reverse`, so the most significant column comes last.
    for column in reversed(tuple(columns)):
        name = column.removeprefix("-")
        sorted_rows.sort(key=lambda row, name=name: row[name], reverse=column.startswith("-"))  # type: ignore[misc]
    return sorted_rows
