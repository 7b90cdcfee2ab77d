"""The report of a run, one HTML file: made from its recording, and put in place as a whole."""

import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from runner.experiment.results import graded
from runner.registry import Library, mode, swallowing, working
from stressweb.analysis.graded import Graded
from stressweb.core.errors import UserError
from stressweb.core.whole_file import put
from stressweb.core.words import paragraphs
from stressweb.log import causes
from stressweb.log.store import FILE, Store
from stressweb.report.page import GENERATOR, Source, report

_HEAD = 4096
"""Bytes of a file among which a report says what it is."""


def write(folder: Path, path: Path, *, name: str = "") -> tuple[bool, Source]:
    """Write the report of the run in a folder; return whether it replaced an earlier one, and what it was made of.

    `name` is what the run is called, by default as its folder.

    An earlier report is replaced at once and as a whole. Raises UserError, and leaves every file as it is, if the run
    cannot be read, or if at `path` there is something else.
    """
    replaced = _check(path)
    with Store.read(folder / FILE) as store:
        source = _source(name or folder.resolve().name, store, causes.sentences(causes.read(folder)))
        text = report(source)
    # In the run's folder it is for its owner alone; elsewhere it is a file like any other.
    put(path, text, private=path.parent.resolve() == folder.resolve())
    return replaced, source


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


def _check(path: Path) -> bool:
    """Return whether a report is already there; raises UserError if it is anything else, or has no place."""
    if not path.parent.is_dir():
        raise UserError(f"{path} cannot be written: {path.parent} is not a folder")
    try:
        # A named pipe would wait for a writer, and a link is not what is replaced.
        if not path.is_dir() and not stat.S_ISREG(path.lstat().st_mode):
            raise UserError(f"{path} exists and is not a stressweb report; choose another file with --output")
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from None
    if GENERATOR.encode() not in head:
        raise UserError(f"{path} exists and is not a stressweb report; choose another file with --output")
    return True
