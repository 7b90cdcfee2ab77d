"""The report of a run: made from its recording, and put in place as a whole."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from runner.experiment.report_files import ReportFiles
from runner.experiment.results import graded, recorded_prices
from runner.experiment.run_folder import recorded_plan
from runner.registry import Library, mode, swallowing, working
from stressweb.analysis.curves.measured import curves
from stressweb.analysis.graded import Graded
from stressweb.core.errors import UserError
from stressweb.core.words import paragraphs
from stressweb.log import causes
from stressweb.log.store import FILE, Store
from stressweb.report.page import Source, report


class Written(NamedTuple):
    """A report that was written."""

    source: Source
    """What it was made of."""
    replaced: bool
    """Whether it replaced an earlier one."""
    folder: Path | None
    """The folder of its side files; None if it is one file."""
    side_bytes: int
    """Size of all side files together."""


def write(folder: Path, path: Path, *, name: str = "", single_file: bool = False) -> Written:
    """Write the report of the run in a folder, the episodes of a large run into a folder of side files beside it.

    `name` is the name of the run, by default that of its folder. With `single_file` everything goes into one file, and
    pages and pictures that do not fit are left out. An earlier report is replaced as a whole. Raises UserError, and
    changes no file, if the run cannot be read, or if the file at `path` is not a report.
    """
    # In the run's folder, only the owner can read it; elsewhere it is a file like any other.
    with ReportFiles(path, private=path.parent.resolve() == folder.resolve()) as files:
        with Store.read(folder / FILE) as store:
            source = _source(name or folder.resolve().name, store, causes.sentences(causes.read(folder)))
            text = report(source, side=None if single_file else files.side())
        files.finish(text)
        return Written(source, files.replaces, files.folder, files.side_bytes)


def _source(name: str, store: Store, found: Mapping[str, Sequence[str]]) -> Source:
    episodes, meta = graded(store), store.meta()
    return Source(
        name=name,
        meta=meta,
        planned=store.cells(),
        graded=episodes,
        load=store.load,
        goals=_goals(episodes),
        modes=_modes(),
        swallowing=_swallowing(meta),
        curves=curves(episodes, recorded_plan(store).conditions, recorded_prices(store)),
        sheets=store.sheets,
        causes=found,
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


def _swallowing(meta: Mapping[str, Any]) -> frozenset[str]:
    """Return the modes that stop gestures, as the run has recorded them; of an earlier run, as they are now."""
    recorded = meta.get("swallowing")
    if not isinstance(recorded, list):
        return frozenset(swallowing())
    return frozenset(name for name in recorded if isinstance(name, str))
