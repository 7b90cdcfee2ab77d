"""Turns a run's database into the flat records from which all measures are computed."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

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
from stressweb.runner.outcome.sharing import work
from stressweb.runner.registry.about_tasks import AboutTask

_NO_GRADE = Grade({}, {}, verdict=None)


class Row(NamedTuple):
    """A finished episode as reports list it."""

    graded: Graded
    brief: Brief


def graded(store: StoreReader, without: Collection[str] = ()) -> list[Graded]:
    """Return every finished episode of a run with its grade, except those whose keys are in `without`.

    Raises UserError if the run has no plan, AlteredError if an episode or the run differs from its recording.
    """
    check_recorded(store)
    cells = [cell for cell in store.finished() if cell.key not in without]
    return [Graded(**fields["graded"]) for fields in work("rows", store, cells, {}, rows_of)]


def listed(store: StoreReader) -> list[Row]:
    """Return every finished episode of a run with its grade and its summary for the report's list."""
    check_recorded(store)
    rows = work("rows", store, store.finished(), {"brief": True}, rows_of)
    return [Row(Graded(**row["graded"]), Brief.read(row["brief"])) for row in rows]


def with_episodes(store: StoreReader, *, contents: bool = False) -> Iterator[tuple[EpisodeDetails, Graded]]:
    """Yield every finished episode with its grade; raises as `graded` does.

    With `contents`, pages and pictures are checked, too.
    """
    check_recorded(store)
    known = run_facts(store)
    for cell in store.finished():
        details = store.details(cell)
        if contents:
            store.check(details)
        yield details, flat_record(store, details, known, details.episode.grade)


def check_recorded(store: StoreReader) -> None:
    """Raise UserError if a run has no plan, AlteredError if episodes were added or removed."""
    # First the plan, since a file without one is not a run.
    recorded_plan(store)
    store.check_whole()


def rows_of(store: StoreReader, cells: Sequence[Cell], settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield for each cell the fields of `Graded`, and with the setting `brief` those of `Brief`."""
    known = run_facts(store)
    for cell in cells:
        details = store.details(cell)
        record = flat_record(store, details, known, details.episode.grade)
        fields: dict[str, Any] = {"graded": record.model_dump()}
        if settings.get("brief"):
            fields["brief"] = brief(record, details.episode.grade, details.ledger, details.episode.message)
        yield fields


_ALONE = AboutTask()


class RunFacts(NamedTuple):
    """Recorded facts about the conditions and tasks of a run."""

    modes: Mapping[str, Sequence[str]]
    """The modes of each condition, by its label."""
    tasks: Mapping[str, AboutTask]
    """Families and horizons by task; empty in runs of early versions, where each task counts as a family."""


def run_facts(store: StoreReader) -> RunFacts:
    """Return the facts about the conditions and tasks of a run; raises UserError if it has no plan."""
    modes = {condition.label: condition.modes for condition in recorded_plan(store).conditions}
    try:
        tasks = TypeAdapter(dict[str, AboutTask]).validate_python(store.meta().get("tasks", {}))
    except ValidationError as error:
        raise UserError(f"{store.path} has invalid tasks: {first(error, 'tasks')}") from None
    return RunFacts(modes, tasks)


def flat_record(store: StoreReader, details: EpisodeDetails, known: RunFacts, grade: Grade | None) -> Graded:
    """Return an episode with a grade as a flat record; `known` are the facts about its run.

    Raises UserError if the episode's condition is not in the run's plan.
    """
    episode, ledger, cell = details.episode, details.ledger, details.episode.cell
    modes, about_task = known.modes.get(cell.condition), known.tasks.get(cell.task, _ALONE)
    if modes is None:
        # An untrusted recording may have episodes that are not in its plan.
        raise UserError(f"{store.path} has an episode under {cell.condition!r}, which is not in its plan")
    # An episode with status error has no grade, but is counted.
    known_grade = grade or _NO_GRADE
    repeats = repetitions(details.actions)
    return Graded(
        agent=cell.agent,
        task=cell.task,
        site=cell.site,
        family=about_task.family,
        horizon=about_task.horizon,
        condition=cell.condition,
        world_seed=cell.world,
        stress_seed=cell.stress,
        epoch=cell.epoch,
        status=episode.status,
        claim=episode.claim,
        success=grade is not None and grade.success,
        disputed=known_grade.disputed,
        checkpoints_passed=sum(known_grade.passed.values()),
        checkpoints_total=len(known_grade.passed),
        unobserved=len(known_grade.unobserved),
        undecided=known_grade.undecided,
        harmed=any(known_grade.harms.values()),
        steps=episode.steps,
        # None for a condition without modes, which is not the same as an unexposed episode.
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
        **(_tester_fields(known_grade.judgement, ledger) if known_grade.judgement else {}),
    )


def _tester_fields(judgement: Judgement, ledger: Sequence[Entry]) -> dict[str, Any]:
    """Return the fields of `Graded` about a tester's verdict on a test case."""
    actions_ahead = judgement.ahead
    return {
        "tester_verdict": judgement.verdict,
        "tester_step": judgement.step,
        "tester_cause": judgement.cause,
        "truth": judgement.truth,
        "truth_step": judgement.failing_step,
        "truth_cause": judgement.failing_cause,
        "judged": judgement.outcome.value if judgement.outcome else "",
        "grounded": judgement.grounded,
        "disturbed_steps": tuple(_steps_with_deliveries(judgement, ledger)),
        "ahead": None if actions_ahead is None else len(actions_ahead),
    }


def _steps_with_deliveries(judgement: Judgement, ledger: Sequence[Entry]) -> Iterator[int]:
    """Yield the steps of a test case, from 1, in which a mode delivered something."""
    delivered = {entry.step for entry in ledger if entry.phase == "delivered"}
    for step in range(1, len(judgement.began) + 1):
        first, end = judgement.span(step)
        if any(first <= action < end for action in delivered):
            yield step


def _part(dropped: str) -> str:
    """Return the name for users of a request part that was left out."""
    # The full text includes the length at which the page was cut.
    if dropped.startswith("page beyond"):
        return "page length"
    return {
        "screenshots": "pictures",
        "response_format schema": "JSON schema",
        "response_format object": "JSON object",
    }.get(dropped, dropped)


def exposed(ledger: Sequence[Entry], modes: Sequence[str]) -> dict[str, bool]:
    """Return for each mode whether it delivered anything."""
    delivered = {entry.mode for entry in ledger if entry.phase == "delivered"}
    return {mode: mode in delivered for mode in modes}


def recorded_prices(store: StoreReader) -> dict[str, Price]:
    """Return the price of each agent's model as recorded, by the agent's label."""
    recorded = store.meta().get("prices", {})
    try:
        return TypeAdapter(dict[str, Price]).validate_python(recorded)
    except ValidationError as error:
        raise UserError(f"{store.path} has invalid prices: {first(error, 'prices')}") from None
