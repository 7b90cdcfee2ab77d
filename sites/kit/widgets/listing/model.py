"""Listings: rows with search, filters, sort orders and pages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from stressweb.core.entity import Entity
from stressweb.core.templates import matching, ordered
from stressweb.sites.kit.data.tables import Tables
from stressweb.sites.kit.serving.paging import Paged, paged
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.entities import Conditions, Source
from stressweb.sites.kit.spec.strict import EntityName, Label, Spec, Template
from stressweb.sites.kit.spec.widgets import AnyPart, Widget


class Option(Spec):
    """An option of a filter, or a sort order."""

    label: Label
    where: Conditions = {}
    order: tuple[str, ...] = ()


class Through(Spec):
    """Rows that each connect a row of a listing with a choice of a filter, as a tagging connects a note with a tag."""

    of: EntityName
    row: str
    """Column with the key of the listed row."""
    choice: str
    """Column with the key of the choice."""


class Filter(Spec):
    """One filter of a listing: a choice among options or rows, or a single checkbox."""

    label: Label
    options: dict[str, Option] = {}
    choices: Source | None = None
    """Rows that are the options, with `says` as their text; choosing one keeps rows with its key in `column`."""
    says: Template = ""
    column: str = ""
    through: Through | None = None
    """Instead of `column`, where a row can have several of the choices."""
    box: Conditions = {}

    def kept(self, rows: Sequence[Entity], chosen: str, store: Tables, names: Mapping[str, Any]) -> list[Entity] | None:
        """Return the rows that pass the filter; None for an unknown option, which filters nothing."""
        if self.choices is not None and chosen and store.one(self.choices.of, chosen):
            if through := self.through:
                connected = {link[through.row] for link in store.where(through.of, {through.choice: chosen})}
                return [row for row in rows if row.id in connected]
            return [row for row in rows if _key(row[self.column]) == chosen]
        # A checkbox has one condition, whatever value is sent.
        conditions = self.options[chosen].where if chosen in self.options else self.box if chosen else {}
        return matching(rows, conditions, names) if conditions else None


def _key(value: Any) -> str:
    # If a source joins the column, it contains the row itself instead of its key.
    return str(value.id if isinstance(value, Entity) else value)


class Listing(Widget):
    """Rows with search, filters, sort orders and pages."""

    widget: Literal["listing"]
    source: Source
    type: str
    """The schema.org type of the items."""
    show: tuple[AnyPart, ...]
    style: Literal["", "list", "pair", "cards", "rows"] = ""
    empty: Label = ""
    """Label key of the text that is shown if there are no rows."""
    filters: dict[str, Filter] = {}
    sorts: dict[str, Option] = {}
    search: tuple[str, ...] = ()
    """Columns that are searched for the words of `q`."""
    # A multiple of 1, 2, 3 and 4, the possible numbers of items side by side, so that full pages have full rows.
    per_page: int = 24

    def view(self, visit: Visit) -> Paged:
        """Return the result of this query."""
        page = look(self, visit.args, visit.store, visit.names)
        return replace(page, rows=visit.completed(self.source, [*page.rows]))


def words(text: str) -> set[str]:
    """Return the words of a text, in lower case."""
    return set(re.findall(r"[^\W_]+", text.lower()))


def look(widget: Listing, args: Mapping[str, str], store: Tables, names: Mapping[str, Any]) -> Paged:
    """Return the result of a query; unknown filters and options in it are ignored."""
    rows = store.rows(widget.source, names)
    query = {}
    if widget.search:
        query["q"] = args.get("q", "").strip()
        wanted = words(query["q"])
        # Without the first check, an empty search would find every row, since the empty set is a subset of any set.
        rows = [row for row in rows if wanted and wanted <= words(" ".join(str(row[name]) for name in widget.search))]
    for name, field in widget.filters.items():
        chosen = args.get(name, "")
        filtered = field.kept(rows, chosen, store, names)
        if filtered is not None:
            query[name], rows = chosen, filtered
    if widget.sorts:
        chosen = args.get("sort", "")
        query["sort"] = chosen if chosen in widget.sorts else next(iter(widget.sorts))
        rows = ordered(rows, widget.sorts[query["sort"]].order)
    return paged(rows, widget.per_page, args.get("page", "1"), query)
