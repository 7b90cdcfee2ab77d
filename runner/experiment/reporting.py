"""The report of a run, one HTML file: made from its recording, and put in place as a whole."""

import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from runner.experiment.results import graded
from runner.registry import Library, mode, working
from stressweb.analysis.graded import Graded
from stressweb.core.errors import UserError
from stressweb.core.words import paragraphs
from stressweb.log import causes
from stressweb.log.store import FILE, Store
from stressweb.log.whole_file import put
from stressweb.report.page import GENERATOR, Source, report

SWALLOWING = frozenset(("failure", "remap", "remap_explicit"))
"""Modes that deliver by stopping a gesture, so that it does nothing. A pop-up answers it; others touch no gesture."""
_HEAD = 4096
"""Bytes of a file among which a report says what it is."""


def write(folder: Path, path: Path) -> tuple[bool, Source]:
    """Write the report of the run in a folder; return whether it replaced an earlier one, and what it was made of.

    An earlier report is replaced at once and as a whole. Raises UserError, and leaves every file as it is, if the run
    cannot be read, or if at `path` there is something else.
    """
    replaced = _check(path)
    with Store.read(folder / FILE) as store:
        source = _source(folder.resolve().name, store, causes.sentences(causes.read(folder)))
        text = report(source)
    put(path, text, private=path.parent.resolve() == folder.resolve())
    return replaced, source


def _source(name: str, store: Store, found: Mapping[str, Sequence[str]]) -> Source:
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
