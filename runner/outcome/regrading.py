"""Grades a whole run again, offline."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from stressweb.analysis.graded import Graded
from stressweb.core.errors import AlteredError
from stressweb.core.task_id import is_case
from stressweb.log.recording import Cell
from stressweb.plugins.checks import Grade
from stressweb.runner.outcome.results import flat_record, run_facts
from stressweb.runner.outcome.sharing import work
from stressweb.runner.registry import Library
from stressweb.runner.registry.graders import REGRADED_HASHES, Graders, recorded_grading_hashes
from stressweb.runner.registry.grading import Grader

if TYPE_CHECKING:
    from stressweb.log.store import Store
    from stressweb.log.store_reader import StoreReader


class Regraded(NamedTuple):
    """The result of regrading a run."""

    changed: dict[str, tuple[Grade | None, Grade]]
    """Changed grades, before and after, by the cell's key."""
    altered: dict[str, str]
    """Reasons why episodes count as altered after recording, by the cell's key; these keep their grades."""
    graded: list[Graded]
    """All unaltered episodes with their new grades; empty unless requested."""
    kept_count: int = 0
    """Number of episodes whose grades were kept, because the same checks had graded them."""
    run_alteration: str = ""
    """How the run as a whole differs from its recording, such as a removed episode; empty if it does not."""


def regrade(
    store: "Store", library: Library | None = None, *, graded: bool = False, only_outdated: bool = False
) -> Regraded:
    """Grade every episode of a run again from its recording, and store the grades.

    Episodes with status error, and episodes altered after recording, are not graded. With `graded`, the result contains
    the flat records of all unaltered episodes. With `only_outdated`, grades that the current checks have made are kept;
    their episodes are still checked for alterations.
    """
    library = library or Library()
    cells, meta, graders = store.finished(), store.meta(), Graders(library)
    is_graded_by_current_checks = graders.same(meta) if only_outdated else lambda cell: False
    kept_keys = {cell.key for cell in cells if is_graded_by_current_checks(cell)}
    settings = {"graded": graded, "kept": sorted({(cell.task, cell.world) for cell in cells if cell.key in kept_keys})}
    regradings = work(
        "grades", store, cells, settings, lambda store, cells, _: _grade_again(store, cells, settings, library)
    )
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
    recorded_hashes, current_hashes = recorded_grading_hashes(meta), graders.now(cells)
    # Other recorded parts do not matter: their cells have no episode.
    differs = any(recorded_hashes.get(name) != current_hash for name, current_hash in current_hashes.items())
    # If an episode was skipped or is missing, the run may have, or get, grades of other checks.
    is_complete = not altered and len(cells) == len(store.cells())
    # In one transaction, so that a killed process never leaves a mix of old and new grades.
    if changed or differs:
        notes = {REGRADED_HASHES: current_hashes if is_complete else {}} if differs else {}
        store.regrade({key: after for key, (_, after) in changed.items()}, notes)
    return Regraded(changed, altered, episodes, len(kept_keys - altered.keys()), store.misfit())


def grades_of(store: "StoreReader", cells: Sequence[Cell], settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield for each cell the reason if its episode was altered, else its old and new grade if they differ.

    With the setting `graded`, unaltered episodes also have the fields of `Graded`.
    """
    return _grade_again(store, cells, settings, Library())


def _grade_again(
    store: "StoreReader", cells: Sequence[Cell], settings: Mapping[str, Any], library: Library
) -> Iterator[dict[str, Any]]:
    grader = Grader(library)
    known = run_facts(store) if settings.get("graded") else None
    kept_tasks = {(task, world) for task, world in settings.get("kept", ())}
    for cell in cells:
        try:
            # Reading checks seal and pages.
            details = store.details(cell)
            recorded_grade = details.episode.grade
            if details.episode.status == "error" or (cell.task, cell.world) in kept_tasks:
                store.check(details)
                new_grade = recorded_grade
            else:
                # Test cases also need outcomes, boxes and the model's answers.
                new_grade = grader.grade(store.record(details, bare=not is_case(cell.task)))
        except AlteredError as error:
            yield {"misfit": error.misfit}
            continue
        fields: dict[str, Any] = {}
        if new_grade is not None and (
            recorded_grade is None or new_grade != recorded_grade or new_grade.disputed != recorded_grade.disputed
        ):
            fields = {"before": recorded_grade and recorded_grade.record(), "after": new_grade.record()}
        if known is not None:
            # Computed here, because everything it needs has just been read and checked.
            fields["graded"] = flat_record(store, details, known, new_grade).model_dump()
        yield fields


def _read(grade: dict[str, Any] | None) -> Grade | None:
    return None if grade is None else Grade.read(grade)
