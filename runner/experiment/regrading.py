"""Grading a whole run again, offline."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from runner.episode.grading import Grader
from runner.experiment.sharing import work
from stressweb.core.errors import AlteredError
from stressweb.log.recording import Cell
from stressweb.plugins.checks import Grade

if TYPE_CHECKING:
    from runner.registry import Library
    from stressweb.log.store import Store
    from stressweb.log.store_reader import StoreReader


class Regraded(NamedTuple):
    """What came of grading a run again."""

    changed: dict[str, tuple[Grade | None, Grade]]
    """The grade before and after, by key, of each episode whose grade changed."""
    altered: dict[str, str]
    """What does not fit, by key, of each episode that is not what was recorded; it keeps the grade that it has."""


def regrade(store: "Store", library: "Library") -> Regraded:
    """Grade every episode of a run again, from its recording alone, and store what came out.

    Episodes in error stay ungraded, and so does what was changed after it was recorded: it says nothing of the agent.
    """
    cells = store.finished()
    found = work("grades", store, cells, {}, lambda store, cells, _: _again(store, cells, library))
    changed: dict[str, tuple[Grade | None, Grade]] = {}
    altered: dict[str, str] = {}
    for cell, again in zip(cells, found, strict=True):
        if "misfit" in again:
            altered[cell.key] = again["misfit"]
        elif again:
            changed[cell.key] = _read(again["before"]), Grade(**again["after"])
    # All at once: a process that is killed in between leaves the old grades, never some of each.
    if changed:
        store.regrade({key: after for key, (_, after) in changed.items()})
    return Regraded(changed, altered)


def grades_of(store: "StoreReader", cells: Sequence[Cell], settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield for each cell what grading it again finds: its grades if they differ, its misfit, or nothing."""
    from runner.registry import Library  # noqa: PLC0415 - in a process of its own it has none yet

    return _again(store, cells, Library())


def _again(store: "StoreReader", cells: Sequence[Cell], library: "Library") -> Iterator[dict[str, Any]]:
    grader = Grader(library)
    for cell in cells:
        try:
            # Seal and pages are checked as they are read, since it is pages that grades are made of.
            record = store.load(cell, bare=True)
        except AlteredError as error:
            yield {"misfit": error.misfit}
            continue
        grade = None if record.status == "error" else grader.grade(record)
        if grade is None or grade == record.grade:
            yield {}
        else:
            yield {"before": record.grade and asdict(record.grade), "after": asdict(grade)}


def _read(grade: dict[str, Any] | None) -> Grade | None:
    return None if grade is None else Grade(**grade)
