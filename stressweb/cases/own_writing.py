"""Writes files of test cases that `own_file` can read."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

import yaml

from stressweb.cases.own_case import OwnCase
from stressweb.cases.plain_table import COLUMNS
from stressweb.cases.sheet import cell_of
from stressweb.core.errors import UserError

_WIDTH = 110
_MARK = "\ufeff"
"""Without it, a spreadsheet assumes the encoding of its country."""


def as_yaml(cases: Iterable[OwnCase]) -> str:
    """Return cases as a list in YAML."""
    entries = [case.model_dump(mode="json", exclude_defaults=True) for case in cases]
    return yaml.safe_dump(entries, allow_unicode=True, sort_keys=False, width=_WIDTH)


def as_table(cases: Iterable[OwnCase]) -> str:
    """Return cases as a plain table in CSV: a row for each step."""
    return _MARK + _csv([[*COLUMNS], *(row for case in cases for row in _rows(case))])


def as_blocks(cases: Iterable[OwnCase], site: str = "") -> str:
    """Return cases as PinATA has them in CSV: a block for each, numbered in their order.

    `site` is the site that the file's name says; another one, a seed and a place to begin are stated in rows above.
    Raises UserError for a case whose truth is unknown, since a block passes or fails.
    """
    rows: list[Sequence[str]] = []
    stated = {"site": site, "seed": "0", "start": "/"}
    for number, case in enumerate(cases, start=1):
        now = {"site": case.site, "seed": str(case.seed), "start": case.start}
        rows += [row for row in now.items() if stated[row[0]] != row[1]]
        rows += _block(number, case)
        stated = now
    return _csv(rows)


def _rows(case: OwnCase) -> Iterator[Sequence[str]]:
    truth = case.truth
    for number, step in enumerate(case.steps, start=1):
        fails = number == truth.step
        verdict = "fail" if fails else "" if truth.verdict == "unknown" or number > (truth.step or number) else "pass"
        about = case.site, case.id, case.title, case.start, str(case.seed)
        why = (truth.cause or "", truth.operator) if fails else ("", "")
        yield *about, str(number), step.action, step.expected, verdict, *why


def _block(number: int, case: OwnCase) -> Iterator[Sequence[str]]:
    if case.truth.verdict == "unknown":
        raise UserError(f"{case.id} has no stated truth, and a block of PinATA's passes or fails; write a plain table")
    kind, fail_mark = ("P", "") if case.truth.verdict == "pass" else ("F", "Fail")
    yield ">", f"TC-{number}-{kind} :: {case.name}", "", fail_mark
    yield "#", "Actions", "Expected Result", "Expected Failure"
    for place, step in enumerate(case.steps, start=1):
        why = case.truth.operator or case.truth.cause or "fails"
        yield str(place), step.action, step.expected, why if place == case.truth.step else ""


def _csv(rows: Iterable[Sequence[str]]) -> str:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([cell_of(cell) for cell in row] for row in rows)
    return file.getvalue()
