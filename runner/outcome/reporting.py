"""Writes the report of a recorded run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from stressweb.analysis.curves.measured import Curves, curves
from stressweb.analysis.graded import Graded
from stressweb.core.agent_names import short_names
from stressweb.core.conditions import CLEAN
from stressweb.core.words import paragraphs
from stressweb.log import causes
from stressweb.log.recording import Cell
from stressweb.log.run_folder import recorded_plan
from stressweb.log.store import FILE, Store
from stressweb.log.store_reader import StoreReader
from stressweb.perturbations import REGISTRY as MODES
from stressweb.perturbations import gesture_stopping_modes
from stressweb.report.chosen import chosen
from stressweb.report.details import blocks
from stressweb.report.page import in_order, report
from stressweb.report.side_files import side_file
from stressweb.report.source import Source, cell_of
from stressweb.report.story import Brief, CleanFailures, CleanFailuresByTask, clean_failures_by_task
from stressweb.runner.outcome.goals import goal_texts
from stressweb.runner.outcome.report_files import ReportFiles
from stressweb.runner.outcome.results import listed, recorded_prices, rows_of
from stressweb.runner.outcome.sharing import work


class Written(NamedTuple):
    """A report that has been written."""

    source: Source
    replaced: bool
    """Whether it replaced an earlier report."""
    folder: Path | None
    """Folder of side files; None if the report is a single file."""
    side_bytes: int
    """Total size of the side files."""
    detailed: int
    """Number of episodes with details."""


def write(
    folder: Path,
    path: Path,
    *,
    name: str = "",
    single_file: bool = False,
    every: bool = False,
    asks: Callable[[int], str] | None = None,
) -> Written:
    """Write the report of a run; the episodes of a large run go into a folder of side files next to it.

    `name` is the name of the run (default: the name of its folder). With `single_file`, everything goes into one file,
    without the pages and pictures that do not fit. In a run of more than `chosen.LARGE` episodes, only some get
    details, unless `every` is set; `asks` is as in `Side`. An earlier report is replaced atomically. Raises UserError,
    and changes no file, if the run cannot be read, or if the file at `path` is not a report.
    """
    # In the run's folder only the owner can read it; elsewhere it has the default permissions.
    with ReportFiles(path, private=path.parent.resolve() == folder.resolve()) as files:
        with Store.read(folder / FILE) as store:
            source = _source(name or folder.resolve().name, store, causes.sentences(causes.read(folder)))
            episodes = in_order(source.graded) if every else chosen(in_order(source.graded))
            text = report(source, side=None if single_file else files.side(asks=asks), detailed=episodes)
        files.finish(text)
        return Written(source, files.replaces, files.folder, files.side_bytes, len(episodes))


def details(folder: Path, number: int, graded: Graded, *, known: bool = False) -> str:
    """Return the text of the side file of an episode; `number` is its number in the report. Raises UserError.

    `known` is as in `Store.read`.
    """
    with Store.read(folder / FILE, known=known) as store:
        cause_sentences = causes.sentences(causes.read(folder))
        settings = _details_settings(
            [(number, graded)],
            _recorded_stopping_modes(store.meta()),
            cause_sentences,
            _clean_failures_beside(store, graded),
        )
        (episode_blocks,) = details_of(store, [cell_of(graded)], settings)
    # Without references to other files, which a new report may have replaced.
    return side_file(episode_blocks, {}).text


def details_of(store: StoreReader, cells: Sequence[Cell], settings: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield the blocks of each cell's episode, as from `details.blocks`; `settings` are from `_details_settings`."""
    episodes = {key: (number, Graded(**graded)) for key, (number, graded) in settings["episodes"].items()}
    source = Source(
        name="",
        meta={},
        planned=(),
        graded=(),
        load=store.load,
        goal=goal_texts(store.meta()),
        modes={},
        gesture_stopping_modes=frozenset(settings["swallowing"]),
        sheets=cache(store.sheets),
        causes=settings["causes"],
        clean_failures={
            (agent, task, world): CleanFailures(*fields) for agent, task, world, fields in settings["clean_failures"]
        },
    )
    return (blocks(*episodes[cell.key], source) for cell in cells)


def _details_settings(
    numbered: Sequence[tuple[int, Graded]],
    gesture_stopping_modes: frozenset[str],
    cause_sentences: Mapping[str, Sequence[str]],
    clean_failures: CleanFailuresByTask,
) -> dict[str, Any]:
    """Return the settings that a process needs to render these episodes, as JSON values."""
    episodes = {cell_of(graded).key: (number, graded.model_dump()) for number, graded in numbered}
    own_cause_sentences = {key: list(cause_sentences[key]) for key in episodes if key in cause_sentences}
    failure_fields = [[*agent_task_world, list(failures)] for agent_task_world, failures in clean_failures.items()]
    return {
        "episodes": episodes,
        "swallowing": sorted(gesture_stopping_modes),
        "causes": own_cause_sentences,
        "clean_failures": failure_fields,
    }


def _clean_failures_beside(store: StoreReader, graded: Graded) -> CleanFailuresByTask:
    """Return the failures under clean of an episode's agent at its task."""
    agent_task_world = (graded.agent, graded.task, graded.world_seed)
    clean = [
        cell
        for cell in store.finished()
        if (cell.agent, cell.task, cell.world) == agent_task_world and cell.condition == CLEAN.label
    ]
    rows = rows_of(store, clean, {"brief": True})
    return clean_failures_by_task((Graded(**row["graded"]), Brief(*row["brief"])) for row in rows)


def _source(name: str, store: Store, cause_sentences: Mapping[str, Sequence[str]]) -> Source:
    episodes, meta = listed(store), store.meta()
    graded = [row.graded for row in episodes]
    gesture_stopping_modes = _recorded_stopping_modes(meta)
    clean_failures = clean_failures_by_task((row.graded, row.brief) for row in episodes)

    def make_blocks(numbered: Sequence[tuple[int, Graded]]) -> Iterator[dict[str, str]]:
        cells = [cell_of(record) for _, record in numbered]
        settings = _details_settings(numbered, gesture_stopping_modes, cause_sentences, clean_failures)
        return work("details", store, cells, settings, details_of)

    return Source(
        name=name,
        meta=meta,
        planned=store.cells(),
        graded=graded,
        load=store.load,
        goal=goal_texts(meta),
        modes=_modes(),
        gesture_stopping_modes=gesture_stopping_modes,
        curves=_curves(store, graded),
        sheets=store.sheets,
        causes=cause_sentences,
        clean_failures=clean_failures,
        briefs=[row.brief for row in episodes],
        blocks=make_blocks,
    )


def _curves(store: Store, graded: Sequence[Graded]) -> Curves:
    """Return the curves of a run, with the agents' names in the report."""
    names = short_names(episode.agent for episode in graded)
    episodes = [episode.model_copy(update={"agent": names[episode.agent]}) for episode in graded]
    prices = {names[label]: price for label, price in recorded_prices(store).items() if label in names}
    return curves(episodes, recorded_plan(store).conditions, prices)


def _modes() -> dict[str, str]:
    return {name: paragraphs(MODES.get(name))[0] for name in MODES.working()}


def _recorded_stopping_modes(meta: Mapping[str, Any]) -> frozenset[str]:
    """Return the modes that stop gestures, as recorded; runs of early versions use today's."""
    recorded = meta.get("swallowing")
    if not isinstance(recorded, list):
        return frozenset(gesture_stopping_modes())
    return frozenset(name for name in recorded if isinstance(name, str))
