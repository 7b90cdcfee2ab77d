"""A world's data: rows drawn from spec and seed."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import Any

from faker import Faker

from stressweb.core import draws
from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.core.templates import fill, matches, matching
from stressweb.sites.kit.look.theme import Look
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.entities import Column, EntitySpec
from stressweb.sites.kit.spec.site import SiteSpec
from stressweb.sites.kit.wording.dates import moment
from stressweb.sites.kit.wording.labels import spun
from stressweb.sites.kit.wording.slugs import slug

_ATTEMPTS = 60


@cache
def faker() -> Faker:
    """Return the Faker that makes up names and addresses; seed it before each use."""
    # Cached, because creating a Faker loads all its providers. One serves every column, because each value reseeds it.
    return Faker("en_US")


def start_time(spec: SiteSpec, *key: draws.Part) -> datetime:
    """Return the start of a world's time: 09:00 on a day drawn with this key."""
    day = spec.since + timedelta(days=int(draws.unit(*key, "start") * spec.within))
    return datetime(day.year, day.month, day.day, 9)


@dataclass(frozen=True)
class Drawing:
    """A world's keyed draws, start time, look and rows so far, for functions of the site's logic that make rows."""

    start: datetime
    look: Look
    key: tuple[draws.Part, ...]
    """The first parts of the key of every draw in this world."""
    call: Callable[[str], Callable[["Drawing"], Iterable[Mapping[str, Any]]]]
    """Looks up a function of the site's logic by name."""
    made: dict[str, tuple[Entity, ...]] = field(default_factory=dict)
    """Rows of the entities drawn so far, by entity, including columns that are not stored."""

    def unit(self, *part: draws.Part) -> float:
        """Return the draw with this key, from 0 to below 1."""
        return self._keyed.unit(*part)

    def pick[T](self, choices: Sequence[T], *part: draws.Part) -> T:
        """Return the choice drawn with this key."""
        return self._keyed.pick(choices, *part)

    def shuffled[T](self, choices: Sequence[T], *part: draws.Part) -> list[T]:
        """Return all choices in an order drawn with this key."""
        return self._keyed.shuffled(choices, *part)

    @cached_property
    def _keyed(self) -> draws.Keyed:
        return draws.Keyed(*self.key)


class _Rows:
    """Draws the rows of one entity."""

    def __init__(self, name: str, spec: EntitySpec, drawing: Drawing) -> None:
        self.name, self.spec, self.drawing = name, spec, drawing
        self.rows_by_entity, self.start, self.key = drawing.made, drawing.start, drawing.key
        self.used_values: set[tuple[object, ...]] = set()
        self.rows: list[Entity] = []
        # Choose alternatives once per world, not once per row: a site uses a few phrases again and again.
        self.picks = {
            column: _choose_wording(column_spec.pick, (*self.key, name, "pick", column))
            for column, column_spec in spec.columns.items()
            if isinstance(column_spec.pick, tuple)
        }

    def make(self) -> list[Entity]:
        """Return all rows with all columns, including those that are not stored."""
        if self.spec.per is None:
            for number, row in enumerate(self._given_rows()):
                self._row(number, None, row)
            return self.rows
        for parent in self.rows_by_entity[self.spec.per]:
            if matches(parent, self.spec.where, {}):
                for number in range(self._count(parent.id)):
                    self._row(number, parent, {})
        return self.rows

    def _given_rows(self) -> list[dict[str, Any]]:
        if self.spec.call:
            rows = [dict(row) for row in self.drawing.call(self.spec.call)(self.drawing)]
        else:
            rows = [
                _choose_wording(row, (*self.key, self.name, "given", index)) for index, row in enumerate(self.spec.rows)
            ]
        if self.spec.take is not None:
            # Draw indices and sort them: worlds differ in which rows they have, but not in the rows' order.
            order = draws.Keyed(*self.key).order(len(rows), self.name, "take")
            rows = [rows[index] for index in sorted(order[: self.spec.take])]
        # `count` only applies if no rows are given.
        return rows + [{} for _ in range(self._count("") if not rows else 0)]

    def _count(self, parent: str) -> int:
        if isinstance(self.spec.count, int):
            return self.spec.count
        low, high = self.spec.count
        return low + int(draws.unit(*self.key, self.name, "count", parent) * (high - low + 1))

    def _row(self, number: int, parent: Entity | None, columns: Mapping[str, Any]) -> None:
        row = Entity(columns)
        template_names: dict[str, Any] = {**columns, "n": number, "number": len(self.rows), "of": parent}
        draw_key = (*self.key, self.name, len(self.rows))
        # One digest gives eight draws, which saves time over thousands of values. Given columns need no draw.
        row_draws = iter(draws.units(draws.digest(*draw_key)) if self.spec.columns.keys() - columns.keys() else ())
        for column, spec in self.spec.columns.items():
            if column in columns:
                continue
            # With the parent's key in the scope, each parent may have a row with the same value.
            unique_within = (column, parent.id if parent and spec.unique == "parent" else None)
            row[column] = template_names[column] = self._draw_value(
                column, spec, template_names, unique_within, draw_key, next(row_draws, None)
            )
            if spec.one_of is not None:
                # The database stores only the key; templates of later columns read the whole row.
                template_names[column] = next(
                    candidate for candidate in self.rows_by_entity[spec.one_of] if candidate.id == row[column]
                )
        self.rows.append(row)

    def _draw_value(
        self, column: str, spec: Column, template_names: Mapping[str, Any], unique_within: Any, draw_key: Any, draw: Any
    ) -> Any:
        for attempt in range(_ATTEMPTS):
            # The first attempt takes a draw of the row's digest. Further attempts, and a ninth column, need their own
            # key.
            if attempt or draw is None:
                draw = draws.unit(*draw_key, column, attempt)
            value = self._value(column, spec, template_names, draw)
            # Return before the lookup in the set: a picked value can be a mapping, which is not hashable.
            if not spec.unique:
                return value
            if (*unique_within, value) not in self.used_values:
                self.used_values.add((*unique_within, value))
                return value
        raise UserError(f"{self.name}.{column}: no unique value in {_ATTEMPTS} draws")

    def _value(self, column: str, spec: Column, template_names: Mapping[str, Any], draw: float) -> Any:
        """Return the column's value for one draw."""
        if spec.one_of is not None:
            rows = matching(self.rows_by_entity[spec.one_of], spec.where, template_names)
            return rows[int(draw * len(rows))].id
        if spec.days is not None:
            low, high = (follow(end, template_names) if isinstance(end, str) else end for end in spec.days)
            return moment(self.start + timedelta(minutes=int((low + draw * (high - low)) * 24 * 60)))
        if spec.fake is not None:
            return _fake_value(spec.fake, draw)
        return (
            _undrawn_value(spec, template_names)
            if spec.pick is None and spec.between is None and spec.chance is None
            else _drawn_choice(spec, self.picks.get(column, spec.pick), template_names, draw)
        )


def _choose_wording(words: Any, key: tuple[draws.Part, ...]) -> Any:
    """Return a value of the spec, with one of the alternatives chosen in each of its texts."""
    if isinstance(words, dict):
        return {name: _choose_wording(value, (*key, name)) for name, value in words.items()}
    if isinstance(words, list | tuple):
        return [_choose_wording(value, (*key, index)) for index, value in enumerate(words)]
    return spun(words, draws.unit(*key)) if isinstance(words, str) and "|" in words else words


def _undrawn_value(spec: Column, template_names: Mapping[str, Any]) -> Any:
    """Return the value of a column that needs no draw."""
    if spec.copy_of is not None:
        return follow(spec.copy_of, template_names)
    if spec.slug is not None:
        return slug(fill(spec.slug, template_names))
    if spec.cycle is not None:
        choices = _resolved(spec.cycle, template_names)
        choice = choices[template_names["n"] % len(choices)]
        return fill(choice, template_names) if isinstance(choice, str) else choice
    return fill(spec.text, template_names) if isinstance(spec.text, str) else spec.text


def _drawn_choice(spec: Column, pick: Any, template_names: Mapping[str, Any], draw: float) -> Any:
    """Return the value that a draw picks from a list, from a range, or from 0 and 1."""
    if pick is not None:
        choices = _resolved(pick, template_names)
        return choices[int(draw * len(choices))]
    if spec.between is not None:
        low, high = _resolved(spec.between, template_names)
        # Count in steps and round, so that prices and ratings are exact multiples of the step, not 4.199999.
        value = round(low + int(draw * (round((high - low) / spec.step) + 1)) * spec.step, 4)
        return int(value) if float(spec.step).is_integer() else value
    return int(draw < (spec.chance or 0))


def _fake_value(kind: str, draw: float) -> str:
    fake = faker()
    # Reseed for each value, so that it does not depend on earlier values. A draw has 53 bits; the seed keeps all of
    # them.
    fake.seed_instance(int(draw * (1 << 53)))
    # Faker's addresses have two lines; a form field has one.
    return str(getattr(fake, kind)()).replace("\n", ", ")


def _resolved(choices: Any, template_names: Mapping[str, Any]) -> Sequence[Any]:
    resolved: Sequence[Any] = follow(choices, template_names) if isinstance(choices, str) else choices
    return resolved


def draw_rows(spec: SiteSpec, drawing: Drawing) -> dict[str, tuple[Entity, ...]]:
    """Return the rows of every entity, in the order of the spec; an entity may refer to earlier ones."""
    for name, entity in spec.entities.items():
        drawing.made[name] = tuple(_Rows(name, entity, drawing).make())
    return {name: tuple(map(Entity, _stored_values(spec.entities[name], rows))) for name, rows in drawing.made.items()}


def redrawn(
    spec: SiteSpec, drawing: Drawing, drawn_rows: Mapping[str, Sequence[Entity]], database: sqlite3.Connection
) -> dict[str, tuple[Entity, ...]]:
    """Return the rows of every entity like `draw_rows`, but read the rows of tables from a database.

    `drawn_rows` has the rows as they were drawn, including the columns that no table stores.
    """
    without_added_rows = replace(drawing, made={})
    for name, entity in spec.entities.items():
        if entity.table is None:
            drawing.made[name] = without_added_rows.made[name] = _derived_rows(
                name, entity, (drawing, without_added_rows), drawn_rows[name]
            )
            continue
        drawn_by_id = {row["id"]: row for row in drawn_rows[name]}
        columns = ", ".join(f'"{column}"' for column in entity.stored)
        rows = database.execute(f'SELECT {columns} FROM "{entity.table}"')  # noqa: S608 - names of the spec
        stored_rows = (dict(zip(entity.stored, row, strict=True)) for row in rows)
        current_rows = tuple(Entity({**drawn_by_id.get(row["id"], {}), **row}) for row in stored_rows)
        drawing.made[name], without_added_rows.made[name] = (
            current_rows,
            tuple(row for row in current_rows if row["id"] in drawn_by_id),
        )
    return {name: tuple(map(Entity, _stored_values(spec.entities[name], rows))) for name, rows in drawing.made.items()}


def _derived_rows(
    name: str, entity: EntitySpec, drawings: Sequence[Drawing], drawn_rows: Sequence[Entity]
) -> tuple[Entity, ...]:
    """Return the rows of an entity that is derived from others; its rows in `drawn_rows` if they cannot be derived."""
    for drawing in drawings:
        # The site's function expects drawn rows; a row that was added later has only the columns of its table.
        with contextlib.suppress(LookupError, AttributeError, TypeError, ValueError):
            return tuple(_Rows(name, entity, drawing).make())
    return tuple(drawn_rows)


def _stored_values(spec: EntitySpec, rows: Sequence[Entity]) -> Iterator[dict[str, Any]]:
    return ({name: row[name] for name in spec.stored} for row in rows)
