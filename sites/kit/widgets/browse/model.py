"""A list with several filters, and a link to more rows instead of pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from pydantic import Field

from stressweb.core.entity import Entity
from stressweb.core.templates import matches, ordered
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.entities import Conditions, Source
from stressweb.sites.kit.spec.strict import Label, Spec, Template
from stressweb.sites.kit.spec.widgets import AnyPart, Widget
from stressweb.sites.kit.widgets.listing.model import Option

_MOST = 6
"""Most digits of a number in a query: no price or size is longer, and Python refuses very long numbers."""


class Sift(Spec):
    """One filter: a choice of `one` option, checkboxes of which `any` or `all` must match, or a `range` of numbers."""

    label: Label
    kind: Literal["one", "any", "all", "range"] = "one"
    options: dict[str, Option] = {}
    choices: Source | None = None
    """Rows that are further options, with `says` as their text; choosing one keeps rows with its key in `column`."""
    says: Template = ""
    column: str = ""
    """Column that is compared with the chosen key, or with both ends of a range."""
    low: Label = ""
    """Label key of the lower end of a range."""
    high: Label = ""
    unit: int = 1
    """Factor from the entered number to the column: 100 if people enter whole amounts and the column has cents."""


@dataclass(frozen=True)
class Offered:
    """A filter for display."""

    name: str
    spec: Sift
    options: Mapping[str, tuple[str, Conditions]]
    """Text and conditions of each option, by its value."""
    asked: Mapping[str, str]
    """The part of the query for this filter, by the names of its fields."""

    def leaves(self, row: Entity, names: Mapping[str, Any]) -> bool:
        """Return whether a row passes the filter."""
        if self.spec.kind == "range":
            low, high = (self.asked.get(f"{self.name}_{end}") for end in ("from", "to"))
            column_value = row[self.spec.column]
            return (not low or column_value >= int(low) * self.spec.unit) and (
                not high or column_value <= int(high) * self.spec.unit
            )
        chosen = [where for value, (_, where) in self.options.items() if self.has(value)]
        fits = any if self.spec.kind == "any" else all
        return not chosen or fits(matches(row, conditions, names) for conditions in chosen)

    def has(self, value: str) -> bool:
        """Return whether an option is chosen."""
        return self.asked.get(self.name) == value if self.spec.kind == "one" else self.field(value) in self.asked

    def field(self, value: str) -> str:
        """Return the name of an option's checkbox."""
        return f"{self.name}-{value}"


@dataclass(frozen=True)
class Browsed:
    """The result of a query."""

    filters: Sequence[Offered]
    rows: Sequence[Entity]
    found: int
    asked: Mapping[str, str]
    """The query: the chosen filters and the order."""
    more: str
    """Query of the same list with more rows; empty if all are shown."""


class Browse(Widget):
    """Rows with filters and sort orders; a link below shows more rows."""

    widget: Literal["browse"]
    source: Source
    type: str
    """The schema.org type of the items."""
    show: tuple[AnyPart, ...]
    style: Literal["", "list", "pair", "cards", "rows"] = ""
    empty: Label = ""
    filters: dict[str, Sift] = Field(min_length=1)
    sorts: dict[str, Option] = Field(min_length=1)
    """Sort orders; the first is the default."""
    at_once: int = 12
    """Number of rows at first, and of further rows each time."""
    more: Label = "show_more"

    def view(self, visit: Visit) -> Browsed:
        """Return the result of this query; unknown filters and options in it are ignored."""
        filters = [self._offer(visit, name, spec) for name, spec in self.filters.items()]
        rows = [
            row
            for row in visit.rows(self.source, visit.names)
            if all(sieve.leaves(row, visit.names) for sieve in filters)
        ]  # fmt: skip
        sort = visit.args.get("sort", "")
        sort = sort if sort in self.sorts else next(iter(self.sorts))
        query = {name: text for sieve in filters for name, text in sieve.asked.items()} | {"sort": sort}
        length = max(self.at_once, int(_number(visit.args.get("shown", "")) or 0))
        more = "?" + urlencode({**query, "shown": length + self.at_once}) if length < len(rows) else ""
        rows = ordered(rows, self.sorts[sort].order)
        return Browsed(filters, rows[:length], len(rows), query, more)

    def _offer(self, visit: Visit, name: str, spec: Sift) -> Offered:
        options = {value: (visit.say(option.label), option.where) for value, option in spec.options.items()}
        for row in visit.rows(spec.choices, visit.names):
            options[row.id] = visit.fill(spec.says, {**visit.names, "row": row}), {spec.column: row.id}
        if spec.kind == "range":
            ends = {f"{name}_{end}": _number(visit.args.get(f"{name}_{end}", "")) for end in ("from", "to")}
            return Offered(name, spec, options, {end: number for end, number in ends.items() if number})
        if spec.kind == "one":
            chosen = visit.args.get(name, "")
            return Offered(name, spec, options, {name: chosen} if chosen in options else {})
        boxes = [f"{name}-{value}" for value in options]
        return Offered(name, spec, options, {box: "1" for box in boxes if visit.args.get(box)})


def _number(text: str) -> str:
    """Return the text if it is a whole number; otherwise an empty string."""
    text = text.strip()
    return text if text.isascii() and text.isdigit() and len(text) <= _MOST else ""
