"""The report of a run: made from its recording, and put in place as a whole."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from perturbations import REGISTRY as MODES
from perturbations import swallowing
from runner.outcome.goals import goal_texts
from runner.outcome.report_files import ReportFiles
from runner.outcome.results import listed, recorded_prices, rows_of
from runner.outcome.sharing import work
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
from stressweb.report.chosen import chosen
from stressweb.report.details import blocks
from stressweb.report.page import in_order, report
from stressweb.report.side_files import side_file
from stressweb.report.source import Source, cell_of
from stressweb.report.story import Brief, Undisturbed, UndisturbedFailures, undisturbed_failures


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
    detailed: int
    """How many episodes it has in detail."""


def write(
    folder: Path,
    path: Path,
    *,
    name: str = "",
    single_file: bool = False,
    every: bool = False,
    asks: Callable[[int], str] | None = None,
) -> Written:
    """Write the report of the run in a folder, the episodes of a large run into a folder of side files beside it.

    `name` is the name of the run, by default that of its folder. With `single_file` everything goes into one file, and
    pages and pictures that do not fit are left out. Of a run of more than `chosen.LARGE` episodes only some are written
    in detail, unless `every` one is asked for; `asks` is as in `Side`. An earlier report is replaced as a whole. Raises
    UserError, and changes no file, if the run cannot be read, or if the file at `path` is not a report.
    """
    # In the run's folder, only the owner can read it; elsewhere it is a file like any other.
    with ReportFiles(path, private=path.parent.resolve() == folder.resolve()) as files:
        with Store.read(folder / FILE) as store:
            source = _source(name or folder.resolve().name, store, causes.sentences(causes.read(folder)))
            held = in_order(source.graded) if every else chosen(in_order(source.graded))
            text = report(source, side=None if single_file else files.side(asks=asks), detailed=held)
        files.finish(text)
        return Written(source, files.replaces, files.folder, files.side_bytes, len(held))


def details(folder: Path, number: int, graded: Graded, *, known: bool = False) -> str:
    """Return the side file of one episode, whose number in the report is given, as its text; raises UserError.

    `known` is as in `Store.read`.
    """
    with Store.read(folder / FILE, known=known) as store:
        found = causes.sentences(causes.read(folder))
        settings = _settings([(number, graded)], _swallowing(store.meta()), found, _undisturbed_beside(store, graded))
        (made,) = details_of(store, [cell_of(graded)], settings)
    # It refers to no other file: those of the report may have been replaced.
    return side_file(made, {}).text


def details_of(store: StoreReader, cells: Sequence[Cell], settings: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield the blocks of each cell's episode, as `details.blocks` makes them; `settings` are those of `_settings`."""
    episodes = {key: (number, Graded(**graded)) for key, (number, graded) in settings["episodes"].items()}
    source = Source(
        name="",
        meta={},
        planned=(),
        graded=(),
        load=store.load,
        goal=goal_texts(store.meta()),
        modes={},
        swallowing=frozenset(settings["swallowing"]),
        sheets=cache(store.sheets),
        causes=settings["causes"],
        undisturbed={(agent, task, world): Undisturbed(*one) for agent, task, world, one in settings["undisturbed"]},
    )
    return (blocks(*episodes[cell.key], source) for cell in cells)


def _settings(
    numbered: Sequence[tuple[int, Graded]],
    swallowed_by: frozenset[str],
    found: Mapping[str, Sequence[str]],
    undisturbed: UndisturbedFailures,
) -> dict[str, Any]:
    """Return what a process needs to know to make the details of these episodes, as JSON values."""
    episodes = {cell_of(graded).key: (number, graded.model_dump()) for number, graded in numbered}
    told = {key: list(found[key]) for key in episodes if key in found}
    clean_failures = [[*place, list(one)] for place, one in undisturbed.items()]
    return {"episodes": episodes, "swallowing": sorted(swallowed_by), "causes": told, "undisturbed": clean_failures}


def _undisturbed_beside(store: StoreReader, graded: Graded) -> UndisturbedFailures:
    """Return how the agent of one episode fails at its task under clean."""
    place = (graded.agent, graded.task, graded.world_seed)
    clean = [
        cell
        for cell in store.finished()
        if (cell.agent, cell.task, cell.world) == place and cell.condition == CLEAN.label
    ]
    rows = rows_of(store, clean, {"brief": True})
    return undisturbed_failures((Graded(**row["graded"]), Brief(*row["brief"])) for row in rows)


def _source(name: str, store: Store, found: Mapping[str, Sequence[str]]) -> Source:
    episodes, meta = listed(store), store.meta()
    graded = [one.graded for one in episodes]
    swallowed_by = _swallowing(meta)
    undisturbed = undisturbed_failures((one.graded, one.brief) for one in episodes)

    def made(numbered: Sequence[tuple[int, Graded]]) -> Iterator[dict[str, str]]:
        cells = [cell_of(one) for _, one in numbered]
        settings = _settings(numbered, swallowed_by, found, undisturbed)
        return work("details", store, cells, settings, details_of)

    return Source(
        name=name,
        meta=meta,
        planned=store.cells(),
        graded=graded,
        load=store.load,
        goal=goal_texts(meta),
        modes=_modes(),
        swallowing=swallowed_by,
        curves=_curves(store, graded),
        sheets=store.sheets,
        causes=found,
        undisturbed=undisturbed,
        briefs=[one.brief for one in episodes],
        blocks=made,
    )


def _curves(store: Store, graded: Sequence[Graded]) -> Curves:
    """Return the curves of a run, its agents called as in the report."""
    names = short_names(one.agent for one in graded)
    episodes = [one.model_copy(update={"agent": names[one.agent]}) for one in graded]
    prices = {names[label]: price for label, price in recorded_prices(store).items() if label in names}
    return curves(episodes, recorded_plan(store).conditions, prices)


def _modes() -> dict[str, str]:
    return {name: paragraphs(MODES.get(name))[0] for name in MODES.working()}


def _swallowing(meta: Mapping[str, Any]) -> frozenset[str]:
    """Return the modes that stop gestures, as the run has recorded them; of an earlier run, as they are now."""
    recorded = meta.get("swallowing")
    if not isinstance(recorded, list):
        return frozenset(swallowing())
    return frozenset(name for name in recorded if isinstance(name, str))
