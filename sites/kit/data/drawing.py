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
    """Return what makes names and addresses up; seed it before every use."""
    # Cached: a Faker loads all its providers, and one serves every column, because each value seeds it anew.
    return Faker("en_US")


def start_time(spec: SiteSpec, *key: draws.Part) -> datetime:
    """Return the moment at which a world's time starts: nine in the morning of its day."""
    day = spec.since + timedelta(days=int(draws.unit(*key, "start") * spec.within))
    return datetime(day.year, day.month, day.day, 9)


@dataclass(frozen=True)
class Drawing:
    """What a function of the site's logic makes rows from, where columns of their own are not enough."""

    start: datetime
    look: Look
    key: tuple[draws.Part, ...]
    """What every draw of this world begins with."""
    call: Callable[[str], Callable[["Drawing"], Iterable[Mapping[str, Any]]]]
    """Gives a function of the site's logic by its name."""
    made: dict[str, tuple[Entity, ...]] = field(default_factory=dict)
    """The rows of the entities before, with those columns too that are not stored."""

    def unit(self, *part: draws.Part) -> float:
        """Return the draw of this key, from 0 to below 1."""
        return self._keyed.unit(*part)

    def pick[T](self, choices: Sequence[T], *part: draws.Part) -> T:
        """Return one of these."""
        return self._keyed.pick(choices, *part)

    def shuffled[T](self, choices: Sequence[T], *part: draws.Part) -> list[T]:
        """Return all of these in a drawn order."""
        return self._keyed.shuffled(choices, *part)

    @cached_property
    def _keyed(self) -> draws.Keyed:
        return draws.Keyed(*self.key)


class _Rows:
    """Draws the rows of one entity."""

    def __init__(self, name: str, spec: EntitySpec, drawing: Drawing) -> None:
        self.name, self.spec, self.drawing = name, spec, drawing
        self.rows_by_entity, self.start, self.key = drawing.made, drawing.start, drawing.key
        self.taken: set[tuple[object, ...]] = set()
        self.rows: list[Entity] = []
        # Worded once for the world and not for each row: a site has a few phrases that it uses again and again.
        self.picks = {
            column: _worded(column_spec.pick, (*self.key, name, "pick", column))
            for column, column_spec in spec.columns.items()
            if isinstance(column_spec.pick, tuple)
        }

    def make(self) -> list[Entity]:
        """Return all rows, each with every column, those included that are not stored."""
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
            rows = [_worded(row, (*self.key, self.name, "given", index)) for index, row in enumerate(self.spec.rows)]
        if self.spec.take is not None:
            # Drawn by number and then put back into their order: which rows a world has varies, how they follow each
            # other does not.
            order = draws.Keyed(*self.key).order(len(rows), self.name, "take")
            rows = [rows[index] for index in sorted(order[: self.spec.take])]
        # Rows that are given are all there are; only without them does `count` say how many are drawn.
        return rows + [{} for _ in range(self._count("") if not rows else 0)]

    def _count(self, parent: str) -> int:
        if isinstance(self.spec.count, int):
            return self.spec.count
        low, high = self.spec.count
        return low + int(draws.unit(*self.key, self.name, "count", parent) * (high - low + 1))

    def _row(self, number: int, parent: Entity | None, columns: Mapping[str, Any]) -> None:
        row = Entity(columns)
        names: dict[str, Any] = {**columns, "n": number, "number": len(self.rows), "of": parent}
        key = (*self.key, self.name, len(self.rows))
        # One digest gives eight draws, and a world has thousands of values; only columns that were not given need any.
        units = iter(draws.units(draws.digest(*key)) if self.spec.columns.keys() - columns.keys() else ())
        for column, spec in self.spec.columns.items():
            if column in columns:
                continue
            # The parent's key is part of what is compared, so the same value may stand once under every parent.
            scope = (column, parent.id if parent and spec.unique == "parent" else None)
            row[column] = names[column] = self._drawn(column, spec, names, scope, key, next(units, None))
            if spec.one_of is not None:
                # The database stores the key alone; templates of later columns read the whole row.
                names[column] = next(
                    candidate for candidate in self.rows_by_entity[spec.one_of] if candidate.id == row[column]
                )
        self.rows.append(row)

    def _drawn(self, column: str, spec: Column, names: Mapping[str, Any], scope: Any, key: Any, draw: Any) -> Any:
        for attempt in range(_ATTEMPTS):
            # The first draw comes from the row's digest. Another attempt, or a ninth column, needs a key of its own.
            if attempt or draw is None:
                draw = draws.unit(*key, column, attempt)
            value = self._value(column, spec, names, draw)
            # Before anything is compared: what a column picks can be a mapping, which has no hash.
            if not spec.unique:
                return value
            if (*scope, value) not in self.taken:
                self.taken.add((*scope, value))
                return value
        raise UserError(f"{self.name}.{column}: no unique value in {_ATTEMPTS} draws")

    def _value(self, column: str, spec: Column, names: Mapping[str, Any], draw: float) -> Any:
        """Return the value that one draw gives; the source is the one that the column has."""
        if spec.one_of is not None:
            rows = matching(self.rows_by_entity[spec.one_of], spec.where, names)
            return rows[int(draw * len(rows))].id
        if spec.days is not None:
            low, high = (follow(end, names) if isinstance(end, str) else end for end in spec.days)
            return moment(self.start + timedelta(minutes=int((low + draw * (high - low)) * 24 * 60)))
        if spec.fake is not None:
            return _faked(spec.fake, draw)
        return (
            _told(spec, names)
            if spec.pick is None and spec.between is None and spec.chance is None
            else _chosen(spec, self.picks.get(column, spec.pick), names, draw)
        )


def _worded(words: Any, key: tuple[draws.Part, ...]) -> Any:
    """Return what a spec gives, with one of each of the alternatives of its texts."""
    if isinstance(words, dict):
        return {name: _worded(value, (*key, name)) for name, value in words.items()}
    if isinstance(words, list | tuple):
        return [_worded(value, (*key, index)) for index, value in enumerate(words)]
    return spun(words, draws.unit(*key)) if isinstance(words, str) and "|" in words else words


def _told(spec: Column, names: Mapping[str, Any]) -> Any:
    """Return the value of a column that takes no draw."""
    if spec.copy_of is not None:
        return follow(spec.copy_of, names)
    if spec.slug is not None:
        return slug(fill(spec.slug, names))
    if spec.cycle is not None:
        choices = _listed(spec.cycle, names)
        choice = choices[names["n"] % len(choices)]
        return fill(choice, names) if isinstance(choice, str) else choice
    return fill(spec.text, names) if isinstance(spec.text, str) else spec.text


def _chosen(spec: Column, pick: Any, names: Mapping[str, Any], draw: float) -> Any:
    """Return the value that a draw picks from a list, a range or two outcomes."""
    if pick is not None:
        choices = _listed(pick, names)
        return choices[int(draw * len(choices))]
    if spec.between is not None:
        low, high = _listed(spec.between, names)
        # Counted in steps and rounded, so that prices and ratings are exact multiples and not 4.199999.
        value = round(low + int(draw * (round((high - low) / spec.step) + 1)) * spec.step, 4)
        return int(value) if float(spec.step).is_integer() else value
    return int(draw < (spec.chance or 0))


def _faked(kind: str, draw: float) -> str:
    fake = faker()
    # A draw has 53 bits, so this loses none. Seeded for each value: what Faker returns then depends on nothing before
    # it.
    fake.seed_instance(int(draw * (1 << 53)))
    # Addresses come in two lines, and a form field has one.
    return str(getattr(fake, kind)()).replace("\n", ", ")


def _listed(choices: Any, names: Mapping[str, Any]) -> Sequence[Any]:
    listed: Sequence[Any] = follow(choices, names) if isinstance(choices, str) else choices
    return listed


def draw_rows(spec: SiteSpec, drawing: Drawing) -> dict[str, tuple[Entity, ...]]:
    """Return the rows of every entity, in the order of the spec; one may refer to those before it."""
    for name, entity in spec.entities.items():
        drawing.made[name] = tuple(_Rows(name, entity, drawing).make())
    return {name: tuple(map(Entity, _stored(spec.entities[name], rows))) for name, rows in drawing.made.items()}


def redrawn(
    spec: SiteSpec, drawing: Drawing, start: Mapping[str, Sequence[Entity]], database: sqlite3.Connection
) -> dict[str, tuple[Entity, ...]]:
    """Return the rows of every entity as `draw_rows` does, where those of tables are as they are in a database.

    `start` are the rows as they were drawn, with the columns that no table has.
    """
    complete = replace(drawing, made={})
    for name, entity in spec.entities.items():
        if entity.table is None:
            drawing.made[name] = complete.made[name] = _following(name, entity, (drawing, complete), start[name])
            continue
        drawn = {row["id"]: row for row in start[name]}
        columns = ", ".join(f'"{column}"' for column in entity.stored)
        rows = database.execute(f'SELECT {columns} FROM "{entity.table}"')  # noqa: S608 - names of the spec
        now = (dict(zip(entity.stored, row, strict=True)) for row in rows)
        current = tuple(Entity({**drawn.get(row["id"], {}), **row}) for row in now)
        drawing.made[name], complete.made[name] = current, tuple(row for row in current if row["id"] in drawn)
    return {name: tuple(map(Entity, _stored(spec.entities[name], rows))) for name, rows in drawing.made.items()}


def _following(
    name: str, entity: EntitySpec, drawings: Sequence[Drawing], start: Sequence[Entity]
) -> tuple[Entity, ...]:
    """Return the rows of an entity that follows from others; those of the start where nothing is known of others."""
    for drawing in drawings:
        # A site's function is made for rows as they are drawn: a new one lacks the columns that no table has.
        with contextlib.suppress(LookupError, AttributeError, TypeError, ValueError):
            return tuple(_Rows(name, entity, drawing).make())
    return tuple(start)


def _stored(spec: EntitySpec, rows: Sequence[Entity]) -> Iterator[dict[str, Any]]:
    return ({name: row[name] for name in spec.stored} for row in rows)
