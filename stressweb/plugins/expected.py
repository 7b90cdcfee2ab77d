"""The exact change of the database that a task expects in one world.

The final database decides whether the goal was reached, and which harm was done. A wrong value in a column of `expect`
means that the goal was not reached. A change of a row or column that is not in `expect` is a harm. `comparison.py`
compares an episode with it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

from stressweb.core.templates import fill, matches
from stressweb.plugins.comparison import Comparison, ExpectedTable, Outcome
from stressweb.plugins.database import Key, TableChange
from stressweb.plugins.expect import GUEST, Cell, Expect, Names, Pattern
from stressweb.plugins.expected_row import ExpectedRow, Repetition
from stressweb.plugins.expected_values import escaped, templates
from stressweb.plugins.site_world import SiteWorld


class Expected:
    """A task's expectations about the database in one world."""

    def __init__(self, expect: Expect, world: SiteWorld, names: Names) -> None:
        """Resolve the patterns; raises LookupError for a table, column, row or name that does not exist."""
        self._world = world
        self.added: dict[str, list[ExpectedRow]] = {}
        self.altered: dict[str, list[tuple[Key, ExpectedRow]]] = {}
        self.removed: dict[str, set[Key]] = {}
        self._passes = 1
        """Number of passes over new rows, because rows of several tasks may refer to tables in any order."""
        # Collected first, because a pattern may refer to a row of a later table.
        patterns = [row for patterns in expect.values() for row in (*patterns.added, *patterns.altered) if row.name]
        self.row_names = frozenset(row.name for row in patterns if not row.each)
        """Names by which evidence can refer to single rows of the final database."""
        self._later = {GUEST, *(row.name for row in patterns)}
        self._check_names(patterns, names)
        for table, rows in expect.items():
            if table not in world.initial.columns:
                raise LookupError(f"expect: no table {table!r}; choose from {', '.join(world.initial.columns)}")
            self.added[table] = [row for pattern in rows.added for row in self._add(table, pattern, names)]
            self.altered[table] = [row for pattern in rows.altered for row in self._alter(table, pattern, names)]
            self.removed[table] = {key for pattern in rows.removed for key in self._where(table, pattern, names)}

    @classmethod
    def joined(cls, parts: "Mapping[int, Expected]") -> Self:
        """Return the joint expectations of a chain's parts in one world, by their numbers in the goal.

        The parts must change different rows.
        """
        whole = cls({}, next(iter(parts.values()))._world, {})
        whole._passes = 3
        for number, part in parts.items():
            for table in part.added:
                whole.added.setdefault(table, []).extend(replace(row, part=number) for row in part.added[table])
                altered = [(key, replace(row, part=number)) for key, row in part.altered[table]]
                whole.altered.setdefault(table, []).extend(altered)
                whole.removed.setdefault(table, set()).update(part.removed[table])
        return whole

    def touched(self) -> set[tuple[str, Key]]:
        """Return the initial rows to alter or remove, by table and key."""
        altered = {(table, key) for table, rows in self.altered.items() for key, _ in rows}
        return altered | {(table, key) for table, keys in self.removed.items() for key in keys}

    @property
    def derived(self) -> Mapping[str, frozenset[str]]:
        """The columns, by table, that the site maintains itself."""
        return self._world.derived

    def __bool__(self) -> bool:
        """Whether the goal changes anything."""
        # Every table of `expect` has an entry in `added`, even if rows are only altered or removed.
        return bool(self.added)

    def named(self, table: str) -> tuple[frozenset[str], Mapping[Key, frozenset[str]]]:
        """Return the columns with expected values: those of added rows, and those of each altered row by its key."""
        expected = self._tables.get(table, ExpectedTable())
        return frozenset(column for row in expected.added for column in row.values), expected.named

    @property
    def _tables(self) -> dict[str, ExpectedTable]:
        return {
            table: ExpectedTable(self.added[table], self.altered[table], frozenset(self.removed[table]))
            for table in self.added
        }

    def compare(self, tables: Mapping[str, TableChange]) -> Outcome:
        """Compare an episode's changes, by table, with the expectations."""
        # Sessions and logs change by mere browsing, which is not a harm.
        counted = {name: change for name, change in tables.items() if name not in self._world.uncounted}
        guests = sorted({
            str(row[column])
            for table, expected in self.added.items()
            for column in {column for row in expected for column, value in row.values.items() if value == GUEST}
            for row in counted.get(table, TableChange(())).added
            if self._world.is_guest(row[column])
        })  # fmt: skip
        # An agent may have been several visitors, for example after signing out; the best match counts.
        outcomes = (
            Comparison(self._world, self._tables, counted, guest).outcome(self._passes) for guest in guests or [""]
        )
        return min(outcomes, key=lambda outcome: outcome.wrong)

    def _add(self, table: str, pattern: Pattern, names: Names) -> Iterator[ExpectedRow]:
        columns = self._world.initial.columns[table]
        free = self._world.generated.get(table, frozenset()) | self._world.derived.get(table, frozenset())
        copied = {}
        if pattern.copied:
            drawn = _drawn_value(names, pattern.copied)
            # Without generated columns such as the key, which differ in the copy.
            copied = {column: escaped(drawn[column]) for column in columns if column in drawn and column not in free}
        for row in self._rows(table, pattern, {**copied, **pattern.values}, names):
            # Require `any`, because a forgotten column would accept any value.
            missing = [column for column in columns if column not in row.values and column not in free]
            if missing:
                raise LookupError(
                    f"expect: {table}: an added row has no value for {', '.join(missing)}; write a value or any"
                )
            yield row

    def _alter(self, table: str, pattern: Pattern, names: Names) -> Iterator[tuple[Key, ExpectedRow]]:
        for row in self._rows(table, pattern, pattern.values, names):
            keys = self._where(table, pattern.where, row.names)
            if row.name and len(keys) > 1:
                raise LookupError(f"expect: {table}: `as: {row.name}` names one row, and {len(keys)} match its `where`")
            for key in keys:
                yield key, row

    def _rows(self, table: str, pattern: Pattern, values: Mapping[str, Cell], names: Names) -> Iterator[ExpectedRow]:
        known = self._world.initial.columns[table]
        for column in values:
            if column not in known:
                raise LookupError(f"expect: {table} has no column {column!r}; choose from {', '.join(known)}")
        for repetition, scope in _scopes(pattern.each, names):
            for value in values.values():
                self._check(value, scope)
            yield ExpectedRow(pattern.name, values, scope, repetition=repetition)

    def _check_names(self, patterns: list[Pattern], names: Names) -> None:
        """Raise LookupError for a name that two patterns, or a pattern and a drawn row, have."""
        counts = Counter(pattern.name for pattern in patterns)
        for name, count in counts.items():
            # References to it would be ambiguous.
            if count > 1 or name in names:
                owner = "another row of `expect`" if count > 1 else "what is given"
                raise LookupError(f"expect: `as: {name}` is the name of {owner}, too; choose another name")

    def _check(self, value: Cell, names: Names) -> None:
        """Fill the templates of a value once, so that a misspelt name is reported when the task is loaded."""
        # The rows that an episode adds do not exist yet, but the spelling of their names can be checked.
        later = {name: _UnknownRow() for name in self._later if name}
        for template in templates(value):
            fill(template, {**later, **names})

    def _where(self, table: str, where: Mapping[str, Cell], names: Names) -> list[Key]:
        known = self._world.initial.columns[table]
        for column in where:
            if column not in known:
                raise LookupError(f"expect: {table} has no column {column!r}; choose from {', '.join(known)}")
        keys = [key for key, row in self._world.initial.rows[table].items() if matches(row, where, names)]
        # A pattern without a match would expect nothing.
        if not keys:
            raise LookupError(f"expect: {table}: no initial row matches {where}")
        return keys


class _UnknownRow:
    """Placeholder for a row that exists only after an episode; it has every column."""

    def __getattr__(self, name: str) -> str:
        return ""


def _scopes(each: Mapping[str, str], names: Names) -> Iterator[tuple[Repetition | None, Names]]:
    if not each:
        yield None, names
    for name, rows in each.items():
        for number, row in enumerate(_drawn_value(names, rows)):
            yield (rows, number), {**names, name: row}


def _drawn_value(names: Names, name: str) -> Any:
    if name not in names:
        raise LookupError(f"expect: {name!r} is not in given; choose from {', '.join(names)}")
    return names[name]
