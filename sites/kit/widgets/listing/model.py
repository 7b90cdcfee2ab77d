"""Listings: the rows that a search and its filters leave, in the order asked for, a page at a time."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from stressweb.core.entity import Entity
from stressweb.core.templates import matching, ordered
from stressweb.sites.kit.data.tables import Tables
from stressweb.sites.kit.serving.paging import Paged, paged
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.entities import Conditions, Source
from stressweb.sites.kit.spec.strict import Label, Spec, Template
from stressweb.sites.kit.spec.widgets import AnyPart, Widget


class Option(Spec):
    """A filter or an order of a listing."""

    label: Label
    where: Conditions = {}
    order: tuple[str, ...] = ()


class Filter(Spec):
    """One field of a listing's filter: a choice among options, among rows, or a single box."""

    label: Label
    options: dict[str, Option] = {}
    choices: Source | None = None
    """Rows that are the options, each said as `says`; one that is chosen leaves what has its key in `column`."""
    says: Template = ""
    column: str = ""
    box: Conditions = {}

    def kept(self, rows: Sequence[Entity], chosen: str, store: Tables, names: Mapping[str, Any]) -> list[Entity] | None:
        """Return the rows that are left; None for what is not on offer, which filters nothing."""
        if self.choices is not None and chosen and store.one(self.choices.of, chosen):
            return [row for row in rows if _key(row[self.column]) == chosen]
        # A box has one condition for any value that was sent.
        where = self.options[chosen].where if chosen in self.options else self.box if chosen else {}
        return matching(rows, where, names) if where else None


def _key(value: Any) -> str:
    # Where a source joins it, a column holds the row that it names.
    return str(value.id if isinstance(value, Entity) else value)


class Listing(Widget):
    """Rows with search, filters and orders, a page at a time."""

    widget: Literal["listing"]
    source: Source
    type: str
    """The schema.org type of the items."""
    show: tuple[AnyPart, ...]
    style: Literal["", "list", "pair", "cards", "rows"] = ""
    empty: Label = ""
    """Label key of what is said where there is nothing."""
    filters: dict[str, Filter] = {}
    sorts: dict[str, Option] = {}
    search: tuple[str, ...] = ()
    """Columns in which the words of `q` are looked for."""
    # A multiple of 1, 2, 3 and 4: so many items may stand side by side, and the last row of a full page is full.
    per_page: int = 24

    def view(self, visit: Visit) -> Paged:
        """Return what is shown for this query."""
        return look(self, visit.args, visit.store, visit.names)


def words(text: str) -> set[str]:
    """Return the words of a text, in lower case."""
    return set(re.findall(r"[^\W_]+", text.lower()))


def look(widget: Listing, args: Mapping[str, str], store: Tables, names: Mapping[str, Any]) -> Paged:
    """Return what a listing shows for a query; anything in it that is not on offer is passed over."""
    rows = store.rows(widget.source, names)
    query = {}
    if widget.search:
        query["q"] = args.get("q", "").strip()
        wanted = words(query["q"])
        # An empty search finds nothing: the empty set is a subset of every row's words, so it would find everything.
        rows = [row for row in rows if wanted and wanted <= words(" ".join(str(row[name]) for name in widget.search))]
    for name, field in widget.filters.items():
        chosen = args.get(name, "")
        left = field.kept(rows, chosen, store, names)
        if left is not None:
            query[name], rows = chosen, left
    if widget.sorts:
        chosen = args.get("sort", "")
        query["sort"] = chosen if chosen in widget.sorts else next(iter(widget.sorts))
        rows = ordered(rows, widget.sorts[query["sort"]].order)
    return paged(rows, widget.per_page, args.get("page", "1"), query)
