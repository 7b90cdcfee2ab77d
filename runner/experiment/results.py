"""From the run database to the flat records that all measures are made of."""

from collections.abc import Collection, Sequence

from runner.experiment.run_folder import recorded_plan
from stressweb.analysis.graded import Graded
from stressweb.analysis.repeats import repetitions
from stressweb.core.errors import UserError
from stressweb.log.ledger import Entry
from stressweb.log.store import Store
from stressweb.log.store_reader import Episode
from stressweb.plugins.checks import Grade

_UNGRADED = Grade({}, {}, verdict=None)


def graded(store: Store, without: Collection[str] = ()) -> list[Graded]:
    """Return every finished episode of a run with its verdict, except those whose keys are in `without`."""
    modes = {one.label: one.modes for one in recorded_plan(store).conditions}
    episodes = store.episodes(without)
    unplanned = next((one.cell.condition for one in episodes if one.cell.condition not in modes), None)
    if unplanned is not None:
        raise UserError(f"{store.path} holds an episode under {unplanned!r}, which is not in its plan")
    return [_graded(store, episode, modes[episode.cell.condition]) for episode in episodes]


def _graded(store: Store, episode: Episode, modes: Sequence[str]) -> Graded:
    cell = episode.cell
    grade = episode.grade or _UNGRADED
    ledger = store.ledger(cell)
    repeats = repetitions(store.actions(cell))
    return Graded(
        agent=cell.agent,
        task=cell.task,
        site=cell.task.partition("/")[0],
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
