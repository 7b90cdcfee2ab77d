"""Grading a whole run again, offline."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from stressweb.analysis.graded import Graded
from stressweb.core.errors import AlteredError
from stressweb.core.task_id import is_case
from stressweb.log.recording import Cell
from stressweb.plugins.checks import Grade
from stressweb.runner.outcome.results import flat_record, known_of
from stressweb.runner.outcome.sharing import work
from stressweb.runner.registry import Library
from stressweb.runner.registry.graders import NOTE, Graders, recorded
from stressweb.runner.registry.grading import Grader

if TYPE_CHECKING:
    from stressweb.log.store import Store
    from stressweb.log.store_reader import StoreReader


class Regraded(NamedTuple):
    """The outcome of grading a run again."""

    changed: dict[str, tuple[Grade | None, Grade]]
    """The grade before and after, by key, of each episode whose grade changed."""
    altered: dict[str, str]
    """What does not fit, by key, of each episode that differs from its recording; such an episode keeps its grade."""
    graded: list[Graded]
    """Every episode that was not altered, with its present grade; empty unless requested."""
    reused: int = 0
    """Number of episodes that were not graded again, because the same checks had graded them."""
    misfit: str = ""
    """How the run as a whole differs from its recording, such as by a removed episode."""


def regrade(
    store: "Store", library: Library | None = None, *, graded: bool = False, changed_alone: bool = False
) -> Regraded:
    """Grade every episode of a run again, from its recording alone, and store the grades.

    Episodes in error stay ungraded, and so do episodes that were changed after recording: they say nothing about the
    agent. With `graded` the result has the flat records of all other episodes. With `changed_alone` the grades that the
    current checks have made are kept; their episodes are still checked for changes.
    """
    library = library or Library()
    cells, meta, graders = store.finished(), store.meta(), Graders(library)
    same = graders.same(meta) if changed_alone else lambda cell: False
    reused = {cell.key for cell in cells if same(cell)}
    settings = {"graded": graded, "kept": sorted({(cell.task, cell.world) for cell in cells if cell.key in reused})}
    regradings = work("grades", store, cells, settings, lambda store, cells, _: _again(store, cells, settings, library))
    changed: dict[str, tuple[Grade | None, Grade]] = {}
    altered: dict[str, str] = {}
    episodes: list[Graded] = []
    for cell, regrading in zip(cells, regradings, strict=True):
        if "misfit" in regrading:
            altered[cell.key] = regrading["misfit"]
            continue
        if "after" in regrading:
            changed[cell.key] = _read(regrading["before"]), Grade.read(regrading["after"])
        if graded:
            episodes.append(Graded(**regrading["graded"]))
    known, now = recorded(meta), graders.now(cells)
    # Further recorded parts do no harm: their cells have no episode.
    differs = any(known.get(name) != grader_digest for name, grader_digest in now.items())
    # If an episode was left out or is missing, grades of other checks may remain or be added.
    whole = not altered and len(cells) == len(store.cells())
    # In one transaction, so that a killed process never leaves a mixture of old and new grades.
    if changed or differs:
        notes = {NOTE: now if whole else {}} if differs else {}
        store.regrade({key: after for key, (_, after) in changed.items()}, notes)
    return Regraded(changed, altered, episodes, len(reused - altered.keys()), store.misfit())


def grades_of(store: "StoreReader", cells: Sequence[Cell], settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield for each cell its misfit, or its grades if they differ.

    With the setting `graded` also the fields of `Graded`, unless there is a misfit.
    """
    return _again(store, cells, settings, Library())


def _again(
    store: "StoreReader", cells: Sequence[Cell], settings: Mapping[str, Any], library: Library
) -> Iterator[dict[str, Any]]:
    grader = Grader(library)
    known = known_of(store) if settings.get("graded") else None
    reused = {(task, world) for task, world in settings.get("kept", ())}
    for cell in cells:
        try:
            # Seal and pages are checked while they are read.
            details = store.details(cell)
            before = details.episode.grade
            if details.episode.status == "error" or (cell.task, cell.world) in reused:
                store.check(details)
                grade = before
            else:
                # Test cases also need outcomes, boxes and the model's answers.
                grade = grader.grade(store.record(details, bare=not is_case(cell.task)))
        except AlteredError as error:
            yield {"misfit": error.misfit}
            continue
        fields: dict[str, Any] = {}
        if grade is not None and (before is None or grade != before or grade.disputed != before.disputed):
            fields = {"before": before and before.record(), "after": grade.record()}
        if known is not None:
            # Here, because all that the record needs has just been read and checked.
            fields["graded"] = flat_record(store, details, known, grade).model_dump()
        yield fields


def _read(grade: dict[str, Any] | None) -> Grade | None:
    return None if grade is None else Grade.read(grade)
