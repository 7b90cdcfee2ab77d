"""From the run database to the flat records that all measures are made of."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from runner.experiment.run_folder import recorded_plan
from runner.experiment.sharing import work
from stressweb.analysis.graded import Graded
from stressweb.analysis.repeats import repetitions
from stressweb.core.errors import UserError
from stressweb.core.price import Price
from stressweb.core.validation import first
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell
from stressweb.log.store_reader import Episode, StoreReader
from stressweb.plugins.checks import Grade
from stressweb.report.story import Brief, brief

_UNGRADED = Grade({}, {}, verdict=None)


class Row(NamedTuple):
    """A finished episode as reports list it."""

    graded: Graded
    brief: Brief


def graded(store: StoreReader, without: Collection[str] = ()) -> list[Graded]:
    """Return every finished episode of a run with its verdict, except those whose keys are in `without`."""
    cells = [cell for cell in store.finished() if cell.key not in without]
    return [Graded(**found["graded"]) for found in work("rows", store, cells, {}, rows_of)]


def listed(store: StoreReader) -> list[Row]:
    """Return every finished episode of a run with its verdict, and what a report says of it in its list."""
    found = work("rows", store, store.finished(), {"brief": True}, rows_of)
    return [Row(Graded(**one["graded"]), Brief.read(one["brief"])) for one in found]


def with_episodes(store: StoreReader) -> Iterator[tuple[Episode, Graded]]:
    """Yield every finished episode with its verdict beside it."""
    modes = _modes(store)
    for episode in store.each():
        yield episode, _graded(store, episode, modes, store.ledger(episode.cell))


def rows_of(store: StoreReader, cells: Sequence[Cell], settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield for each cell what `Graded` is made of, and with the setting `brief` what `Brief` is made of."""
    modes = _modes(store)
    for cell in cells:
        episode, ledger = store.episode(cell), store.ledger(cell)
        one = _graded(store, episode, modes, ledger)
        found: dict[str, Any] = {"graded": one.model_dump()}
        if settings.get("brief"):
            found["brief"] = brief(one, episode.grade, ledger, episode.message)
        yield found


def _modes(store: StoreReader) -> dict[str, tuple[str, ...]]:
    # From the plan, so that a run can be read whose modes are no longer installed.
    return {one.label: one.modes for one in recorded_plan(store).conditions}


def _graded(
    store: StoreReader, episode: Episode, by_condition: Mapping[str, Sequence[str]], ledger: Sequence[Entry]
) -> Graded:
    cell = episode.cell
    modes = by_condition.get(cell.condition)
    if modes is None:
        # The file may be a stranger's, with episodes that are not in its plan.
        raise UserError(f"{store.path} holds an episode under {cell.condition!r}, which is not in its plan")
    # An error has no grade, but it needs a row to be counted.
    grade = episode.grade or _UNGRADED
    repeats = repetitions(store.actions(cell))
    return Graded(
        agent=cell.agent,
        task=cell.task,
        site=cell.site,
        condition=cell.condition,
        world_seed=cell.world,
        stress_seed=cell.stress,
        epoch=cell.epoch,
        status=episode.status,
        claim=episode.claim,
        success=episode.grade is not None and grade.success,
        disputed=grade.disputed,
        checkpoints_passed=sum(grade.passed.values()),
        checkpoints_total=len(grade.passed),
        harmed=any(grade.harms.values()),
        steps=episode.steps,
        # A condition without modes has no exposure, which is not the same as an episode that was not exposed.
        exposed=exposed(ledger, modes) or None,
        bypasses=sum(entry.count for entry in ledger if entry.phase == "bypass"),
        site_faults=sum(entry.count for entry in ledger if entry.phase == "fault"),
        seconds=episode.seconds,
        repeats=repeats.total,
        longest_repeat=repeats.longest,
        tokens_in=episode.usage.tokens_in,
        tokens_out=episode.usage.tokens_out,
    )


def exposed(ledger: Sequence[Entry], modes: Sequence[str]) -> dict[str, bool]:
    """Return for each mode whether it delivered anything to the agent."""
    delivered = {entry.mode for entry in ledger if entry.phase == "delivered"}
    return {mode: mode in delivered for mode in modes}


def recorded_prices(store: StoreReader) -> dict[str, Price]:
    """Return what the model of each agent cost, by the agent's label, as the experiment of the run stated it."""
    found = store.meta().get("prices", {})
    try:
        return TypeAdapter(dict[str, Price]).validate_python(found)
    except ValidationError as error:
        raise UserError(f"{store.path} holds prices that are none: {first(error, 'prices')}") from None
