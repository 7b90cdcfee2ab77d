"""Test cases in PinATA's blocks: a title, a row with the names of columns, and a row for each step."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from stressweb.cases.draft import Draft
from stressweb.cases.sheet import ACTIONS, Row
from stressweb.core.errors import UserError

_TITLE = re.compile(r"TC-(\d+)-([PF])\s*::\s*(.+)", re.DOTALL)
_WIDTH = 4
"""Number, action, expected result, and the reason of a failure."""
SITE_HINT = "write a row such as `site,shop` above it"
_STATED = ("site", "seed", "start")
"""Properties in rows above a block; they apply to all blocks below."""


def read_blocks(path: Path, rows: Iterable[Row]) -> Iterator[Draft]:
    """Yield the cases of a table of blocks; raises UserError with file and line for an unexpected row."""
    stated: dict[str, str] = {}
    block: _Block | None = None
    for row in rows:
        row.check_width(path, _WIDTH)
        first = row.cell(0).lower().rstrip(":")
        if first in _STATED or row.is_title:
            if block is not None:
                yield block.draft()
            block = _Block(path, row, stated) if row.is_title else None
            stated |= {} if row.is_title else {first: row.cell(1)}
        elif block is not None and first.rstrip(".").isdigit():
            block.add(row)
        elif block is None or block.steps or row.cell(1).lower() not in ACTIONS:
            raise UserError(
                f'{path}:{row.line}: is no row of a block, which is a title such as >,"TC-1-P :: Title", '
                "the names of the columns, or a step that begins with its number"
            )
    if block is not None:
        yield block.draft()


class _Block:
    """A title and the steps below it."""

    def __init__(self, path: Path, title: Row, stated: dict[str, str]) -> None:
        """Take the title, and the properties above it; raises UserError for an invalid title."""
        parts = _TITLE.fullmatch(title.cell(1))
        if parts is None:
            written = title.cell(1)[:60]
            raise UserError(
                f"{path}:{title.line}: title {written!r} is not of the form `TC-1-P :: Title` of a passing case, "
                "or `TC-1-F :: Title` of a failing one"
            )
        number, kind, words = parts.groups()
        # Like other cases: the passing one has the bare name, and a failing one also its fault.
        name = f"TC-{number}{'#F' if kind == 'F' else ''}"
        self._draft = Draft(path, title.line, name, words, **stated)
        self._fails = kind == "F"
        self._reasons: list[tuple[int, int]] = []
        """Step and line of each reason."""

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return len(self._draft.steps)

    def add(self, row: Row) -> None:
        """Add a step; raises UserError if its number is not the next one."""
        self._draft.add(row.line, row.cell(0), row.cell(1), row.cell(2))
        if row.cell(3):
            self._reasons.append((self.steps, row.line))

    def draft(self) -> Draft:
        """Return the case; raises UserError if a failing one has not exactly one reason, or a passing one has any."""
        draft = self._draft
        if self._fails and not self._reasons:
            raise UserError(
                f"{draft.place}: {draft.called} fails, and no step says why; fill the fourth cell of the failing step"
            )
        if len(self._reasons) > self._fails:
            line = self._reasons[-1][1]
            wrong = "fails at two steps; clear one of both reasons" if self._fails else "passes; clear this reason"
            raise UserError(f"{draft.path}:{line}: {draft.called} {wrong}, or call the case TC-…-F in its title")
        draft.truth = {"verdict": "fail", "step": self._reasons[0][0]} if self._fails else {"verdict": "pass"}
        return draft
