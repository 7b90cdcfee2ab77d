"""Conflicts between parts of a chain that show before an episode.

An agent may do the parts in any order, so no part may need what another part changes. Walking every order would take a
second for each chain and world. What the parts expect shows nearly all conflicts in a tenth of this time.
"""

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.templates import roots
from stressweb.plugins.expected import Expected
from stressweb.plugins.expected_row import BoundRows, ExpectedRow
from stressweb.plugins.expected_values import known
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.task import Part, Task

type Conflict = tuple[Part, Part, str]
"""Two parts, and why they cannot be in one chain."""


def conflicts(parts: Sequence[Part], tasks: Mapping[str, Task], worlds: Mapping[str, SiteWorld]) -> Iterator[Conflict]:
    """Yield the conflicts of a chain's parts; `worlds` are its sites' worlds by name, `tasks` its tasks by id."""
    owners: dict[object, Part] = {}
    for part in parts:
        for claim, reason in _claims(part, tasks[part.goal.task]):
            if owners.setdefault(claim, part) is not part:
                yield owners[claim], part, reason
    for part in parts:
        neighbours = [other for other in parts if other.site == part.site and other is not part]
        if part.goal.expect and neighbours:
            with contextlib.closing(database_after(worlds[part.site], part.goal.expect)) as database:
                entities = worlds[part.site].entities_in(database)
            for neighbour in neighbours:
                for reason in outdated(tasks[neighbour.goal.task], neighbour, entities):
                    yield part, neighbour, reason


def outdated(task: Task, part: Part, entities: Mapping[str, Sequence[Entity]]) -> Iterator[str]:
    """Describe each parameter of a part that is no longer true if the site's data is `entities`."""
    for name in task.outdated(entities, part.goal.params):
        drawn = part.goal.params[name]
        row = drawn.get("id", name) if isinstance(drawn, dict) else name
        yield f"before {task.id} begins, its parameter {name!r} is outdated: {row}"


def _claims(part: Part, task: Task) -> Iterator[tuple[object, str]]:
    """Yield what no other part may claim, with a description.

    A part claims the initial rows that it changes, the content of the rows that it adds, and in these rows the values
    that come from drawn rows: two messages with one text, or to one person, would be mistaken for each other.
    """
    expect = part.goal.expect
    if expect is None:
        return
    # A goal that changes nothing ends with an open page, and an episode can end on only one page.
    if not expect:
        yield "page", "both end with a page that is left open"
    for table, key in sorted(expect.touched(), key=str):
        yield (part.site, table, key), f"both change row {' '.join(map(str, key))} of {part.site}.{table}"
    # Labels and numbers have few values, which two rows may share.
    choices = {name for name, parameter in task.given.items() if parameter.pick is None and parameter.all is None}
    names = BoundRows("")
    for table, rows in expect.added.items():
        for words in sorted({row.words() for row in rows}):
            yield (part.site, table, words), f"both add the same row to {part.site}.{table}: {words}"
        for column, text in sorted({pair for row in rows for pair in _drawn_values(row, choices, names)}):
            yield (part.site, table, column, text), f"both add a row to {part.site}.{table} with {column} {text!r}"


def _drawn_values(row: ExpectedRow, choices: set[str], names: BoundRows) -> Iterator[tuple[str, str]]:
    """Yield the columns of a row whose values come from drawn rows, with these values; `choices` are other names."""
    row_names = names.names(row)
    for column, cell in row.values.items():
        if isinstance(cell, str) and (cell_names := roots(cell)) and not cell_names & choices:
            text = known(cell, row_names)
            if text is not None:
                yield column, text


def database_after(world: SiteWorld, expect: Expected) -> sqlite3.Connection:
    """Return a site's database after the expected changes.

    Where the episode would decide a value, such as a key, an added row has a new key or the value of an initial row.
    """
    database = sqlite3.connect(":memory:")
    database.deserialize(world.template)
    names = BoundRows("")
    # First the added rows, because altered rows refer to them.
    for table, rows in expect.added.items():
        for number, row in enumerate(rows):
            predicted = _predicted_row(world, table, number, _values(world, table, row, names))
            names.bind(row, predicted)
            columns, marks = ", ".join(map(_quoted, predicted)), ", ".join("?" * len(predicted))
            # A table of a user's site may refuse the substitutes for unknown values.
            statement = f"INSERT OR IGNORE INTO {_quoted(table)} ({columns}) VALUES ({marks})"  # noqa: S608
            database.execute(statement, tuple(predicted.values()))
    for table, altered in expect.altered.items():
        for key, row in altered:
            if values := _values(world, table, row, names):
                columns = ", ".join(f"{_quoted(column)} = ?" for column in values)
                statement = f"UPDATE OR IGNORE {_quoted(table)} SET {columns} WHERE {_where(world, table)}"  # noqa: S608
                database.execute(statement, (*values.values(), *key))
    for table, keys in expect.removed.items():
        statement = f"DELETE FROM {_quoted(table)} WHERE {_where(world, table)}"  # noqa: S608 - names of the schema
        database.executemany(statement, keys)
    return database


def _values(world: SiteWorld, table: str, row: ExpectedRow, names: BoundRows) -> dict[str, Any]:
    """Return the expected values of a row as far as they are known, with the types that the table's rows have."""
    similar = next(iter(world.initial.rows[table].values()), Entity())
    row_names, values = names.names(row), dict[str, Any]()
    for column, cell in row.values.items():
        text = known(cell, row_names)
        if text is not None:
            values[column] = text
            kind = type(similar.get(column))
            if kind in (int, float):
                with contextlib.suppress(ValueError):
                    values[column] = kind(text)
    return values


def _predicted_row(world: SiteWorld, table: str, number: int, values: Mapping[str, Any]) -> Entity:
    """Return an added row with substitutes for the values that only an episode knows."""
    key, rows = world.initial.keys[table], [*world.initial.rows[table].values()]
    row = Entity({**(rows[-1] if rows else {}), **values})
    for column in key:
        if column not in values:
            used = [initial[column] for initial in rows]
            numbers = used and all(isinstance(entry, int) for entry in used)
            row[column] = max(used) + 1 + number if numbers else f"new-{number}"
    for column in world.generated.get(table, frozenset()) - {*key, *values}:
        # Most of these are times, and nothing is newer than the added row.
        with contextlib.suppress(ValueError, TypeError):
            row[column] = max(initial[column] for initial in rows)
    return row


def _quoted(name: str) -> str:
    return f'"{name}"'


def _where(world: SiteWorld, table: str) -> str:
    return " AND ".join(f"{_quoted(column)} = ?" for column in world.initial.keys[table])
