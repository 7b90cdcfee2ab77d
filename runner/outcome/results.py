"""From the run database to the flat records that all measures are made of."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from runner.outcome.sharing import work
from runner.registry.about_tasks import AboutTask
from stressweb.analysis.graded import Graded
from stressweb.analysis.repeats import repetitions
from stressweb.core.errors import UserError
from stressweb.core.price import Price
from stressweb.core.validation import first
from stressweb.core.verdict import Judgement
from stressweb.log.episode import EpisodeDetails
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell
from stressweb.log.run_folder import recorded_plan
from stressweb.log.store_reader import StoreReader
from stressweb.plugins.checks import Grade
from stressweb.report.story import Brief, brief

_UNGRADED = Grade({}, {}, verdict=None)


class Row(NamedTuple):
    """A finished episode as reports list it."""

    graded: Graded
    brief: Brief


def graded(store: StoreReader, without: Collection[str] = ()) -> list[Graded]:
    """Return every finished episode of a run with its verdict, except those whose keys are in `without`.

    Raises UserError if the run has no plan, AlteredError if an episode or the run as a whole is not what was recorded.
    """
    check_recorded(store)
    cells = [cell for cell in store.finished() if cell.key not in without]
    return [Graded(**found["graded"]) for found in work("rows", store, cells, {}, rows_of)]


def listed(store: StoreReader) -> list[Row]:
    """Return every finished episode of a run with its verdict, and what a report says of it in its list."""
    check_recorded(store)
    found = work("rows", store, store.finished(), {"brief": True}, rows_of)
    return [Row(Graded(**one["graded"]), Brief.read(one["brief"])) for one in found]


def with_episodes(store: StoreReader, *, contents: bool = False) -> Iterator[tuple[EpisodeDetails, Graded]]:
    """Yield every finished episode with its verdict beside it; raises as `graded` does.

    `contents`: its pages and pictures are checked, too, although nothing is made of them.
    """
    check_recorded(store)
    known = known_of(store)
    for cell in store.finished():
        told = store.details(cell)
        if contents:
            store.check(told)
        yield told, flat_record(store, told, known, told.episode.grade)


def check_recorded(store: StoreReader) -> None:
    """Raise UserError if a run has no plan, AlteredError if it as a whole is not what was recorded."""
    # The plan first: a file without one is no run, whatever its register counts.
    recorded_plan(store)
    store.check_whole()


def rows_of(store: StoreReader, cells: Sequence[Cell], settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield for each cell what `Graded` is made of, and with the setting `brief` what `Brief` is made of."""
    known = known_of(store)
    for cell in cells:
        told = store.details(cell)
        one = flat_record(store, told, known, told.episode.grade)
        found: dict[str, Any] = {"graded": one.model_dump()}
        if settings.get("brief"):
            found["brief"] = brief(one, told.episode.grade, told.ledger, told.episode.message)
        yield found


_ALONE = AboutTask()


class Known(NamedTuple):
    """What a run knows of its conditions and tasks; all of it is recorded, so that it can be read anywhere."""

    modes: Mapping[str, Sequence[str]]
    """The modes of each condition, by its label."""
    tasks: Mapping[str, AboutTask]
    """Families and horizons; runs of earlier versions have none, and there every task is a family of its own."""


def known_of(store: StoreReader) -> Known:
    """Return what a run knows of its conditions and tasks; raises UserError if it has no plan."""
    modes = {one.label: one.modes for one in recorded_plan(store).conditions}
    try:
        tasks = TypeAdapter(dict[str, AboutTask]).validate_python(store.meta().get("tasks", {}))
    except ValidationError as error:
        raise UserError(f"{store.path} holds tasks that are none: {first(error, 'tasks')}") from None
    return Known(modes, tasks)


def flat_record(store: StoreReader, told: EpisodeDetails, known: Known, grade: Grade | None) -> Graded:
    """Return an episode with this grade as one flat record; `known` is what its run knows.

    Raises UserError if its condition is none of the run's.
    """
    episode, ledger, cell = told.episode, told.ledger, told.episode.cell
    modes, about = known.modes.get(cell.condition), known.tasks.get(cell.task, _ALONE)
    if modes is None:
        # The file may be a stranger's, with episodes that are not in its plan.
        raise UserError(f"{store.path} holds an episode under {cell.condition!r}, which is not in its plan")
    # An error has no grade, but it needs a row to be counted.
    given = grade or _UNGRADED
    repeats = repetitions(told.actions)
    return Graded(
        agent=cell.agent,
        task=cell.task,
        site=cell.site,
        family=about.family,
        horizon=about.horizon,
        condition=cell.condition,
        world_seed=cell.world,
        stress_seed=cell.stress,
        epoch=cell.epoch,
        status=episode.status,
        claim=episode.claim,
        success=grade is not None and grade.success,
        disputed=given.disputed,
        checkpoints_passed=sum(given.passed.values()),
        checkpoints_total=len(given.passed),
        unobserved=len(given.unobserved),
        undecided=given.undecided,
        harmed=any(given.harms.values()),
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
        requests=episode.usage.tries,
        rejected=len(episode.usage.rejected),
        unwrapped=len(episode.usage.unwrapped),
        refused=tuple(dict.fromkeys(map(_part, episode.usage.dropped))),
        unanswered=episode.usage.unanswered,
        **(_judged(given.judgement, ledger) if given.judgement else {}),
    )


def _judged(judgement: Judgement, ledger: Sequence[Entry]) -> dict[str, Any]:
    """Return the columns of a verdict on a test case."""
    return {
        "tester_verdict": judgement.verdict,
        "tester_step": judgement.step,
        "tester_cause": judgement.cause,
        "truth": judgement.truth,
        "truth_step": judgement.failing_step,
        "truth_cause": judgement.failing_cause,
        "judged": judgement.outcome.value if judgement.outcome else "",
        "grounded": judgement.grounded,
        "disturbed_steps": tuple(_disturbed(judgement, ledger)),
        "ahead": None if judgement.ahead is None else len(judgement.ahead),
    }


def _disturbed(judgement: Judgement, ledger: Sequence[Entry]) -> Iterator[int]:
    """Yield the steps of a test case, from 1, inside which a mode delivered something."""
    delivered = {entry.step for entry in ledger if entry.phase == "delivered"}
    for step in range(1, len(judgement.began) + 1):
        first, end = judgement.span(step)
        if any(first <= action < end for action in delivered):
            yield step


def _part(dropped: str) -> str:
    """Return what a part of a request is called for people."""
    # Every length at which a page was cut is a text of its own.
    if dropped.startswith("page beyond"):
        return "page length"
    return {
        "screenshots": "pictures",
        "response_format schema": "JSON schema",
        "response_format object": "JSON object",
    }.get(dropped, dropped)


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
