"""Rows to look through: many filters at once, and more rows at the end of the list instead of pages."""

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
"""Digits of a number in a query: longer ones are no prices and no sizes, and Python refuses very long ones."""


class Sift(Spec):
    """One filter: a choice of `one`, boxes of which `any` or `all` must fit, or a `range` of numbers."""

    label: Label
    kind: Literal["one", "any", "all", "range"] = "one"
    options: dict[str, Option] = {}
    choices: Source | None = None
    """Rows that are options, too, each said as `says`; one that is chosen leaves what has its key in `column`."""
    says: Template = ""
    column: str = ""
    """Column that is compared with the key of a row, or with the two ends of a range."""
    low: Label = ""
    """Label key of the lower end of a range."""
    high: Label = ""
    unit: int = 1
    """What one is in the column: 100 where people enter whole amounts, and the column holds hundredths."""


@dataclass(frozen=True)
class Offered:
    """A filter as a page shows it."""

    name: str
    spec: Sift
    options: Mapping[str, tuple[str, Conditions]]
    """Value of each option, what it says, and what it leaves."""
    asked: Mapping[str, str]
    """What the query asks of this filter, by the names of its fields."""

    def leaves(self, row: Entity, names: Mapping[str, Any]) -> bool:
        """Return whether a row is left."""
        if self.spec.kind == "range":
            low, high = (self.asked.get(f"{self.name}_{end}") for end in ("from", "to"))
            held = row[self.spec.column]
            return (not low or held >= int(low) * self.spec.unit) and (not high or held <= int(high) * self.spec.unit)
        chosen = [where for value, (_, where) in self.options.items() if self.has(value)]
        fits = any if self.spec.kind == "any" else all
        return not chosen or fits(matches(row, where, names) for where in chosen)

    def has(self, value: str) -> bool:
        """Return whether an option is asked for."""
        return self.asked.get(self.name) == value if self.spec.kind == "one" else self.field(value) in self.asked

    def field(self, value: str) -> str:
        """Return the name of the box of an option."""
        return f"{self.name}-{value}"


@dataclass(frozen=True)
class Browsed:
    """What is shown for a query."""

    filters: Sequence[Offered]
    rows: Sequence[Entity]
    found: int
    asked: Mapping[str, str]
    """The query: what it asks of the filters, and the order."""
    more: str
    """Query of the same list with more rows; nothing where all are shown."""


class Browse(Widget):
    """Rows with filters and orders; a link below shows more of them."""

    widget: Literal["browse"]
    source: Source
    type: str
    """The schema.org type of the items."""
    show: tuple[AnyPart, ...]
    style: Literal["", "list", "pair", "cards", "rows"] = ""
    empty: Label = ""
    filters: dict[str, Sift] = Field(min_length=1)
    sorts: dict[str, Option] = Field(min_length=1)
    """Orders; the first is that of a list for which none is asked."""
    at_once: int = 12
    """How many rows there are at first, and how many more each time."""
    more: Label = "show_more"

    def view(self, visit: Visit) -> Browsed:
        """Return what is shown for this query; anything in it that is not on offer is passed over."""
        filters = [self._offered(visit, name, spec) for name, spec in self.filters.items()]
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

    def _offered(self, visit: Visit, name: str, spec: Sift) -> Offered:
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
    """Return a whole number as a query writes it; nothing for anything else."""
    text = text.strip()
    return text if text.isascii() and text.isdigit() and len(text) <= _MOST else ""
