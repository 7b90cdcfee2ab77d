"""Test cases in a plain table, as in a spreadsheet: a row for each step."""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from stressweb.cases.draft import Draft
from stressweb.cases.sheet import ACTIONS, Row
from stressweb.core.choices import unknown
from stressweb.core.errors import UserError

COLUMNS: Mapping[str, Collection[str]] = {
    "site": {"site"},
    "case": {"case", "case id", "test case", "test case id", "id"},
    "title": {"title", "test case title", "name", "summary"},
    "start": {"start"},
    "seed": {"seed"},
    "step": {"step", "step number", "no", "no.", "#"},
    "action": ACTIONS,
    "expected": {"expected", "expected result", "expected results"},
    "verdict": {"verdict", "status"},
    "cause": {"cause"},
    "operator": {"operator"},
}
"""The columns, and their accepted names in any case; others are ignored."""
_OF_CASE = ("title", "site", "start", "seed")
SITE_HINT = "add a column `site`"
_MISSPELT = 0.8
"""Similarity from which on a name is treated as a misspelling of ours."""
_VERDICTS = {"pass": "pass", "passed": "pass", "fail": "fail", "failed": "fail", "": "", "not run": ""}


def read_table(path: Path, rows: Iterable[Row]) -> Iterator[Draft]:
    """Yield the cases of a table; raises UserError with file and line for the first mistake."""
    first, *steps = rows
    columns = _columns(path, first)
    group: list[Row] = []
    for row in steps:
        row.check_width(path, len(first.cells))
        # A spreadsheet often names the case in its first row only.
        if group and (key := _key(row, columns)) and key != _key(group[0], columns):
            yield _Group(path, group, columns).draft()
            group = []
        group.append(row)
    if group:
        yield _Group(path, group, columns).draft()


def _key(row: Row, columns: Mapping[str, int]) -> str:
    return row.cell(columns.get("case")) or ("" if "case" in columns else row.cell(columns.get("title")))


def _columns(path: Path, header: Row) -> Mapping[str, int]:
    """Return the position of each column; raises UserError for a missing, duplicate or misspelt one."""
    columns: dict[str, int] = {}
    known = {name: column for column, names in COLUMNS.items() for name in names}
    for place, cell in enumerate(header.cells):
        column = known.get(cell.lower())
        if column in columns:
            raise UserError(f"{path}:{header.line}: two columns are {column}, {cell!r} is the second; remove one")
        if column is not None:
            columns[column] = place
        # Columns for other purposes are allowed. A misspelling of ours would silently be lost.
        elif matches := difflib.get_close_matches(cell.lower(), known, 1, _MISSPELT):
            raise UserError(f"{path}:{header.line}: column {cell[:40]!r} is not known; did you mean {matches[0]}?")
    for wanted in (("case", "title"), ("action",), ("expected",)):
        if not columns.keys() & {*wanted}:
            there = " ".join(", ".join(filter(None, header.cells)).split())
            raise UserError(f"{path}:{header.line}: column {' or '.join(wanted)} is missing; there are {there[:200]}")
    return columns


class _Group:
    """The rows of one case."""

    def __init__(self, path: Path, rows: list[Row], columns: Mapping[str, int]) -> None:
        """Take the rows and the columns."""
        self._path, self._rows, self._columns = path, rows, columns
        self._named_by = "case" if "case" in columns else "title"

    def draft(self) -> Draft:
        """Return the case; raises UserError with file and line for contradictions."""
        first = self._rows[0]
        name = _key(first, self._columns)
        if not name:
            raise UserError(f"{self._path}:{first.line}: belongs to no case; fill {self._named_by} in this row")
        draft = Draft(self._path, first.line, name, **{column: self._once(column) for column in _OF_CASE})
        for row in self._rows:
            draft.add(row.line, *(self._cell(row, column) for column in ("step", "action", "expected")))
        draft.truth = self._truth(draft)
        return draft

    def _cell(self, row: Row, column: str) -> str:
        return row.cell(self._columns.get(column))

    def _once(self, column: str) -> str:
        """Return the value of a column that applies to the whole case."""
        first = ""
        for row in self._rows:
            cell = self._cell(row, column)
            if first and cell not in ("", first):
                raise UserError(
                    f"{self._path}:{row.line}: {column} is {cell[:40]!r}, and {first[:40]!r} in another row of the case"
                )
            first = first or cell
        return first

    def _truth(self, draft: Draft) -> Mapping[str, str | int | None]:
        verdicts = [self._verdict(row) for row in self._rows]
        failing = [number for number, verdict in enumerate(verdicts, start=1) if verdict == "fail"]
        if not any(verdicts):
            return {"verdict": "unknown"}
        last = next((number for number in range(len(verdicts), 0, -1) if verdicts[number - 1]), 0)
        if last != (failing[0] if failing else len(verdicts)):
            wrong = last if failing else last + 1
            why = f"has a verdict, and step {failing[0]} fails" if failing else "has no verdict, and one before passes"
            raise UserError(
                f"{self._path}:{self._rows[wrong - 1].line}: {draft.called}: step {wrong} {why}; write fail at the "
                "step that fails and nothing below, pass at the last step of a case that passes, or no verdict at all"
            )
        if not failing:
            return {"verdict": "pass"}
        row = self._rows[failing[0] - 1]
        cause, operator = (self._cell(row, column) for column in ("cause", "operator"))
        return {"verdict": "fail", "step": failing[0], "cause": self._cause(row, cause), "operator": operator}

    def _verdict(self, row: Row) -> str:
        cell = self._cell(row, "verdict").lower()
        if cell not in _VERDICTS:
            raise UserError(f"{self._path}:{row.line}: {unknown('verdict', cell, ['pass', 'fail', 'not run'])}")
        if _VERDICTS[cell] != "fail" and self._cell(row, "cause"):
            raise UserError(f"{self._path}:{row.line}: has a cause, and its verdict is not `fail`; clear one of both")
        return _VERDICTS[cell]

    def _cause(self, row: Row, cell: str) -> str | None:
        if cell.lower() not in ("", "action", "assertion"):
            raise UserError(f"{self._path}:{row.line}: {unknown('cause', cell, ['action', 'assertion'])}")
        return cell.lower() or None
