"""The report of a run: made from its recording, and put in place as a whole."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from runner.experiment.report_files import ReportFiles
from runner.experiment.results import graded
from runner.experiment.run_folder import recorded_plan
from runner.registry import Library, mode, working
from stressweb.analysis.curves.measured import curves
from stressweb.analysis.graded import Graded
from stressweb.core.errors import UserError
from stressweb.core.words import paragraphs
from stressweb.log.store import FILE, Store
from stressweb.report.page import Source, report

SWALLOWING = frozenset(("failure", "remap", "remap_explicit"))
"""Modes that deliver by stopping a gesture, so that it does nothing. A pop-up answers it; others touch no gesture."""


class Written(NamedTuple):
    """A report that was written."""

    source: Source
    """What it was made of."""
    replaced: bool
    """Whether it replaced an earlier one."""
    folder: Path | None
    """The folder of its side files; None if it is one file."""
    side_bytes: int
    """What they have together."""


def write(folder: Path, path: Path, *, single_file: bool = False) -> Written:
    """Write the report of the run in a folder, the episodes of a large run into a folder of side files beside it.

    With `single_file` everything goes into one file, and what finds no room there is left out. An earlier report is
    replaced at once and as a whole. Raises UserError, and leaves every file as it is, if the run cannot be read, or if
    at `path` there is something else.
    """
    # In the run's folder it is for its owner alone; elsewhere it is a file like any other.
    with ReportFiles(path, private=path.parent.resolve() == folder.resolve()) as files:
        with Store.read(folder / FILE) as store:
            source = _source(folder.resolve().name, store)
            text = report(source, side=None if single_file else files.side())
        files.finish(text)
        return Written(source, files.replaces, files.folder, files.side_bytes)


def _source(name: str, store: Store) -> Source:
    episodes = graded(store)
    return Source(
        name=name,
        meta=store.meta(),
        planned=store.cells(),
        graded=episodes,
        load=store.load,
        goals=_goals(episodes),
        modes=_modes(),
        swallowing=SWALLOWING,
        curves=curves(episodes, recorded_plan(store).conditions),
        sheets=store.sheets,
    )


def _goals(episodes: Iterable[Graded]) -> dict[tuple[str, int], str]:
    """Return the goals of all tasks that are still there: a report of an old run does without those that are not."""
    library = Library()
    goals: dict[tuple[str, int], str] = {}
    for task, world in dict.fromkeys((one.task, one.world_seed) for one in episodes):
        try:
            goals[task, world] = library.goal(task, world).text
        except (UserError, OSError):
            continue
    return goals


def _modes() -> dict[str, str]:
    return {name: paragraphs(mode(name))[0] for name in working("perturbations")}
