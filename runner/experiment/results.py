"""From the run database to the flat records that all measures are made of."""

from collections.abc import Collection, Iterator, Sequence

from pydantic import TypeAdapter, ValidationError

from runner.experiment.run_folder import recorded_plan
from stressweb.analysis.graded import Graded
from stressweb.analysis.repeats import repetitions
from stressweb.core.errors import UserError
from stressweb.core.price import Price
from stressweb.core.validation import first
from stressweb.log.ledger import Entry
from stressweb.log.store_reader import Episode, StoreReader
from stressweb.plugins.checks import Grade

_UNGRADED = Grade({}, {}, verdict=None)


def graded(store: StoreReader, without: Collection[str] = ()) -> list[Graded]:
    """Return every finished episode of a run with its verdict, except those whose keys are in `without`."""
    return [one for _, one in with_episodes(store, without)]


def with_episodes(store: StoreReader, without: Collection[str] = ()) -> Iterator[tuple[Episode, Graded]]:
    """Yield every finished episode with its verdict beside it."""
    # From the plan, so that a run can be read whose modes are no longer installed.
    modes = {one.label: one.modes for one in recorded_plan(store).conditions}
    for episode in store.each(without):
        if episode.cell.condition not in modes:
            # The file may be a stranger's, with episodes that are not in its plan.
            raise UserError(f"{store.path} holds an episode under {episode.cell.condition!r}, which is not in its plan")
        yield episode, _graded(store, episode, modes[episode.cell.condition])


def _graded(store: StoreReader, episode: Episode, modes: Sequence[str]) -> Graded:
    cell = episode.cell
    # An error has no grade, but it needs a row to be counted.
    grade = episode.grade or _UNGRADED
    ledger = store.ledger(cell)
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
