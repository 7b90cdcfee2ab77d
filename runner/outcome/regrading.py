"""Grading a whole run again, offline."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from runner.outcome.results import flat_record, known_of
from runner.outcome.sharing import work
from runner.registry import Library
from runner.registry.graders import NOTE, Graders, recorded
from runner.registry.grading import Grader
from stressweb.analysis.graded import Graded
from stressweb.core.errors import AlteredError
from stressweb.core.task_id import is_case
from stressweb.log.recording import Cell
from stressweb.plugins.checks import Grade

if TYPE_CHECKING:
    from stressweb.log.store import Store
    from stressweb.log.store_reader import StoreReader


class Regraded(NamedTuple):
    """What came of grading a run again."""

    changed: dict[str, tuple[Grade | None, Grade]]
    """The grade before and after, by key, of each episode whose grade changed."""
    altered: dict[str, str]
    """What does not fit, by key, of each episode that is not what was recorded; it keeps the grade that it has."""
    graded: list[Graded]
    """Every episode that was not altered with its grade as it is now, if asked for."""
    kept: int = 0
    """Episodes that were not graded again, because the same checks had graded them."""
    misfit: str = ""
    """What of the run as a whole is not what was recorded, such as an episode that was removed."""


def regrade(
    store: "Store", library: Library | None = None, *, graded: bool = False, changed_alone: bool = False
) -> Regraded:
    """Grade every episode of a run again, from its recording alone, and store what came out.

    Episodes in error stay ungraded, and so does what was changed after it was recorded: it says nothing of the agent.
    With `graded` the result has the flat records of all others, as they would be read from the run afterwards. With
    `changed_alone` grades are kept that were made by what would make them now; whether their episodes are those that
    were recorded is checked all the same.
    """
    library = library or Library()
    cells, meta, graders = store.finished(), store.meta(), Graders(library)
    same = graders.same(meta) if changed_alone else lambda cell: False
    kept = {cell.key for cell in cells if same(cell)}
    settings = {"graded": graded, "kept": sorted({(cell.task, cell.world) for cell in cells if cell.key in kept})}
    found = work("grades", store, cells, settings, lambda store, cells, _: _again(store, cells, settings, library))
    changed: dict[str, tuple[Grade | None, Grade]] = {}
    altered: dict[str, str] = {}
    episodes: list[Graded] = []
    for cell, again in zip(cells, found, strict=True):
        if "misfit" in again:
            altered[cell.key] = again["misfit"]
            continue
        if "after" in again:
            changed[cell.key] = _read(again["before"]), Grade.read(again["after"])
        if graded:
            episodes.append(Graded(**again["graded"]))
    known, now = recorded(meta), graders.now(cells)
    # Other parts that are known do no harm: their cells have no episode.
    other = any(known.get(name) != value for name, value in now.items())
    # Where an episode was left out, or is still to come, grades of another kind may be there, or be added.
    whole = not altered and len(cells) == len(store.cells())
    # All at once: a process that is killed in between leaves the old grades, never some of each.
    if changed or other:
        notes = {NOTE: now if whole else {}} if other else {}
        store.regrade({key: after for key, (_, after) in changed.items()}, notes)
    return Regraded(changed, altered, episodes, len(kept - altered.keys()), store.misfit())


def grades_of(store: "StoreReader", cells: Sequence[Cell], settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield for each cell what grading it again finds: its misfit, or its grades if they differ.

    With the setting `graded` also what `Graded` is made of, unless there is a misfit.
    """
    return _again(store, cells, settings, Library())


def _again(
    store: "StoreReader", cells: Sequence[Cell], settings: Mapping[str, Any], library: Library
) -> Iterator[dict[str, Any]]:
    grader = Grader(library)
    known = known_of(store) if settings.get("graded") else None
    kept = {(task, world) for task, world in settings.get("kept", ())}
    for cell in cells:
        try:
            # Seal and pages are checked as they are read, since it is pages that grades are made of.
            told = store.details(cell)
            before = told.episode.grade
            if told.episode.status == "error" or (cell.task, cell.world) in kept:
                store.check(told)
                grade = before
            else:
                # Of a test case outcomes, boxes and what the model answered count, too.
                grade = grader.grade(store.record(told, bare=not is_case(cell.task)))
        except AlteredError as error:
            yield {"misfit": error.misfit}
            continue
        found: dict[str, Any] = {}
        if grade is not None and (before is None or grade != before or grade.disputed != before.disputed):
            found = {"before": before and before.record(), "after": grade.record()}
        if known is not None:
            # Here, because everything that the record is made of has just been read and checked.
            found["graded"] = flat_record(store, told, known, grade).model_dump()
        yield found


def _read(grade: dict[str, Any] | None) -> Grade | None:
    return None if grade is None else Grade.read(grade)
