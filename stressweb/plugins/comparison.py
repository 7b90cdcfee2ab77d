"""Compares one episode's database with what its task expects."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stressweb.core.entity import Entity
from stressweb.html.accessible_name import clean
from stressweb.plugins.database import Key, TableChange
from stressweb.plugins.expect import ANY
from stressweb.plugins.expected_row import BoundRows, ExpectedRow
from stressweb.plugins.expected_values import fits, shown_values, wanted
from stressweb.plugins.site_world import SiteWorld


@dataclass(frozen=True)
class Unmet:
    """An expectation of the goal that the database does not meet."""

    table: str
    what: str
    """Its description."""
    column: str = ""
    """The column with the wrong value; "" if the row is missing, or should have been removed."""
    texts: frozenset[str] = frozenset()
    """Texts that a page may show for this column: the actual and the expected value."""

    def __str__(self) -> str:
        """Return its description."""
        return self.what


@dataclass
class Outcome:
    """Result of comparing the final database with the goal."""

    missing: list[Unmet] = field(default_factory=list)
    """Expectations of the goal that the database does not meet."""
    harms: list[str] = field(default_factory=list)
    """Forbidden changes, in words."""
    guest: str = ""
    """The visitor who owns the expected rows, if any."""
    rows: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """The final rows with a name in `expect`, by number of the chain's part (0 for a single task) and by name. Rows
    that were not added are missing."""

    @property
    def unmet(self) -> list[str]:
        """Descriptions of `missing`."""
        return [str(unmet) for unmet in self.missing]

    @property
    def wrong(self) -> int:
        """Number of problems."""
        return len(self.missing) + len(self.harms)


@dataclass(frozen=True)
class ExpectedTable:
    """The expected changes of one table."""

    added: Sequence[ExpectedRow] = ()
    altered: Sequence[tuple[Key, ExpectedRow]] = ()
    removed: frozenset[Key] = frozenset()

    @property
    def named(self) -> Mapping[Key, frozenset[str]]:
        """The columns that are expected to change, by the key of their row."""
        columns: dict[Key, frozenset[str]] = {}
        for key, row in self.altered:
            columns[key] = columns.get(key, frozenset()) | row.values.keys()
        return columns


class Comparison:
    """Compares the changes of one episode with the expectations about each table, assuming one visitor."""

    def __init__(
        self, world: SiteWorld, expected: Mapping[str, ExpectedTable], changes: Mapping[str, TableChange], guest: str
    ) -> None:
        """Take expectations and changes, by table."""
        self._world, self._expected, self._guest = world, expected, guest
        self._bound = BoundRows(guest)
        # First the tables of `expect`, in order, because rows may refer to rows of earlier tables; then all others, in
        # which every change is a harm.
        self._changes = {
            table: changes.get(table) or TableChange(world.initial.keys.get(table, ()))
            for table in dict.fromkeys((*expected, *changes))
        }
        self._returned: dict[str, frozenset[Key]] = {}
        """Keys of rows that were removed and added again with another key."""

    def outcome(self, passes: int) -> Outcome:
        """Return unmet expectations and harms.

        `passes` is the number of passes over new rows: rows of several tasks may refer to tables in any order.
        """
        self._bind_altered()
        # The first pass finds new rows that replace removed ones.
        if passes > 1 or any(change.added and change.removed for change in self._changes.values()):
            pairs = {table: self._pair(table) for _ in range(passes) for table in self._expected}
            for table in self._changes:
                self._give_back(table, {*pairs.get(table, {}).values()})
            self._bind_altered()
        outcome = Outcome(guest=self._guest)
        for table, change in self._changes.items():
            self._compare_added(table, change, outcome)
            self._compare_altered(table, change, outcome)
            self._compare_removed(table, change, outcome)
        outcome.rows = self._bound.by_part()
        return outcome

    def _of(self, table: str) -> ExpectedTable:
        return self._expected.get(table) or ExpectedTable()

    def _bind_altered(self) -> None:
        """Bind the names of altered rows, whose keys are known before the comparison."""
        for table, expected in self._expected.items():
            after = _after(self._changes[table])
            for key, row in expected.altered:
                self._bound.bind(row, after.get(key) or self._world.initial.rows[table][key])

    def _pair(self, table: str) -> dict[int, int]:
        """Pair expected rows with added ones, as positions, and bind their names."""
        expected, rows = self._of(table).added, self._changes[table].added
        pairs = dict(self._assign(table, expected, rows))
        for position, row in enumerate(expected):
            if position in pairs:
                self._bound.bind(row, rows[pairs[position]])
        return pairs

    def _assign(self, table: str, expected: Sequence[ExpectedRow], rows: Sequence[Entity]) -> Iterator[tuple[int, int]]:
        """Pair expected rows with added ones so that the total number of wrong values is minimal."""
        if not expected or not rows:
            return iter(())
        if len(expected) == len(rows) == 1:
            return iter(((0, 0),))
        import numpy as np  # noqa: PLC0415 - takes a second to import, and is seldom needed
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - likewise

        # Pairing by position would make all rows wrong if one is in another position.
        costs = np.array([[len([*self._differences(table, row, added)]) for added in rows] for row in expected])
        return zip(*(side.tolist() for side in linear_sum_assignment(costs)), strict=True)

    def _give_back(self, table: str, used: set[int]) -> None:
        """Count rows that were removed and added again as altered; key and generated columns may differ.

        `used` are the positions of the added rows that are paired with expected ones.
        """
        change, named = self._changes[table], self._of(table).named
        free = self._world.generated.get(table, frozenset()) | self._world.derived.get(table, frozenset())
        spare = {position: row for position, row in enumerate(change.added) if position not in used}
        pairs: list[tuple[Entity, Entity]] = []
        for before in change.removed:
            key = change.key_of(before)
            may_differ = free | {*change.key} | named.get(key, frozenset())
            match = next(
                (position for position, row in spare.items() if _changed_columns(before, row) <= may_differ), None
            )
            if match is not None:
                pairs.append((before, spare.pop(match)))
        if pairs:
            self._returned[table] = frozenset(change.key_of(before) for before, _ in pairs)
            self._changes[table] = replace(
                change,
                added=tuple(row for row in change.added if not any(row is after for _, after in pairs)),
                removed=tuple(row for row in change.removed if not any(row is before for before, _ in pairs)),
                altered=(*change.altered, *pairs),
            )

    def _compare_added(self, table: str, change: TableChange, outcome: Outcome) -> None:
        expected, rows = self._of(table).added, change.added
        pairs = self._pair(table)
        for position, row in enumerate(expected):
            # Fewer rows were added than expected.
            if position not in pairs:
                outcome.missing.append(Unmet(table, f"{table}: a row that the goal asks for was not added"))
                continue
            added = rows[pairs[position]]
            outcome.missing += self._unmet(table, _key_words(change.key_of(added)), row, added)
        # An additional row is a harm even if it is correct: a second order, for example.
        spare = set(range(len(rows))) - set(pairs.values())
        outcome.harms += [f"added to {table}: {_key_words(change.key_of(rows[index]))}" for index in sorted(spare)]

    def _compare_altered(self, table: str, change: TableChange, outcome: Outcome) -> None:
        expected, after = self._of(table), _after(change)
        removed = {*map(change.key_of, change.removed)}
        for key, row in expected.altered:
            # Checked first, because below a row without a change has its initial values.
            if key in removed:
                outcome.missing.append(Unmet(table, f"{table} {_key_words(key)}: the row is gone"))
                continue
            # The expected value may equal the initial one, so that no change was needed.
            final = after.get(key) or self._world.initial.rows[table][key]
            outcome.missing += self._unmet(table, _key_words(key), row, final)
        named = expected.named
        for before, now in change.altered:
            key = change.key_of(before)
            free = self._free(table, key) | named.get(key, frozenset())
            # A wrong value in a column that should change is an unmet expectation, not a harm.
            if wrong := [column for column in before if column in _changed_columns(before, now) and column not in free]:
                outcome.harms.append(f"changed {table} {_key_words(key)}: {', '.join(wrong)}")

    def _free(self, table: str, key: Key) -> frozenset[str]:
        """Return the columns of an initial row that may change regardless of the goal."""
        derived = self._world.derived.get(table, frozenset())
        if key not in self._returned.get(table, ()):
            return derived
        return derived | self._world.generated.get(table, frozenset()) | {*self._changes[table].key}

    def _compare_removed(self, table: str, change: TableChange, outcome: Outcome) -> None:
        removed, expected = {*map(change.key_of, change.removed)}, self._of(table).removed
        remaining = sorted(expected - removed)
        outcome.missing += [Unmet(table, f"{table} {_key_words(key)}: the row is still there") for key in remaining]
        outcome.harms += [f"removed from {table}: {_key_words(key)}" for key in sorted(removed - expected)]

    def _unmet(self, table: str, key: str, row: ExpectedRow, final: Mapping[str, Any]) -> Iterator[Unmet]:
        for column, difference in self._differences(table, row, final):
            values = shown_values(row.values[column], final[column], self._bound.names(row), self._world.labels)
            yield Unmet(table, f"{table} {key}: {difference}", column, values)

    def _differences(self, table: str, row: ExpectedRow, final: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield each wrong column of a row with a description."""
        names, marked_up = self._bound.names(row), self._world.marked_up.get(table, frozenset())
        for column, value in row.values.items():
            normalised = self._world.seen if column in marked_up else clean
            if value != ANY and not fits(value, final[column], names, normalised):
                yield column, f"{column} is {str(final[column])!r}, not {wanted(value, names)}"


def _after(change: TableChange) -> dict[Key, Entity]:
    """Return the altered rows in their final state, by their initial key."""
    return {change.key_of(before): now for before, now in change.altered}


def _changed_columns(before: Mapping[str, Any], now: Mapping[str, Any]) -> set[str]:
    return {column for column, value in before.items() if now[column] != value}


def _key_words(key: Key) -> str:
    return " ".join(map(str, key))
