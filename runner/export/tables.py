"""The tables of a run: results, episodes, steps and ledger, with the meaning of each column. They hold no pages."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, get_args

from runner.export.columns import Column, Row, column, columns_of, flat, in_json
from runner.outcome.results import with_episodes
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.result_row import ResultRow
from stressweb.log.episode import Episode
from stressweb.log.ledger import Entry
from stressweb.log.page_reader import BareStep
from stressweb.log.recording import Cell
from stressweb.log.store_reader import StoreReader

type Name = Literal["results", "episodes", "steps", "ledger"]
NAMES: tuple[Name, ...] = get_args(Name.__value__)

KEY = ("agent", "task", "condition", "world_seed", "stress_seed", "epoch")
"""The columns that name an episode: tables are joined by them."""


class Table(NamedTuple):
    """One table: what a row is, and its columns in order."""

    meaning: str
    columns: tuple[Column, ...]


_GRADED = columns_of(Graded)
# Taken from the columns of episodes, so that the columns by which tables are joined have one type in all of them.
_KEY = tuple(one for name in KEY for one in _GRADED if one.name == name)
_EPISODE = (
    Column("identity", "text", "Hash of everything that the episode is made of; equal ones can be compared."),
    Column("verdict", "boolean", "Whether the final database holds what the goal asks for; none if nothing changes."),
    Column("checkpoints", "text", "Every checkpoint by name and whether it passed; none after an error. JSON."),
    Column("harms", "text", "What must not happen, by name, and whether it did; none after an error. JSON."),
    Column("unmet", "text", "Changes of the database that the goal requires and that are missing. JSON."),
    Column("message", "text", "What the agent said at the end, or what failed."),
    Column("traceback", "text", "Traceback of what ended a crash or an error."),
)
_STEP = (
    Column("step", "integer", "Number of the action, from 1; 0 is the first page and has no action."),
    Column("action", "text", "Kind of the action: CLICK, FILL, DONE."),
    Column("selector", "text", "Selector of the target."),
    Column("text", "text", "What was typed or filled in."),
    Column("parameters", "text", "All other parameters that differ from their defaults. JSON."),
    Column("message", "text", "What the agent said with DONE or FAIL."),
    Column("reasoning", "text", "Why the agent chose the action, in its words."),
    Column("ok", "boolean", "Whether the action could be performed; it may still have had no effect."),
    Column("outcome", "text", "Outcome of the action, in the words that the agent got."),
    Column("url", "text", "Address of the page after the action."),
    column("seconds", "number", "Time from the observation to the settled page after the action."),
    column("decision_seconds", "number", "Time that the decision took, waits between tries included."),
    column("tokens_in", "integer", "Tokens that a language model read, as its server counted them."),
    column("tokens_out", "integer", "Tokens that a language model wrote, likewise."),
    Column("tries", "integer", "Requests sent to the model, including refused and failed ones."),
    Column("rejected", "integer", "Number of the model's answers that were not a valid action."),
    Column("model", "text", "Name of the model as the server gave it."),
)

TABLES: Mapping[Name, Table] = {
    "results": Table("One row for each agent and condition.", columns_of(ResultRow)),
    "episodes": Table("One row for each finished episode.", (*_GRADED, *_EPISODE)),
    "steps": Table("One row for each step of each episode.", (*_KEY, *_STEP)),
    "ledger": Table(
        "One row for each line of the ledger: what was planned, delivered, met and overcome.",
        (*_KEY, *columns_of(Entry)),
    ),
}
"""Every table by its name, which is also the name of its file."""


def rows(store: StoreReader) -> Iterator[tuple[Name, Row]]:
    """Yield every row of a run with the name of its table, episode after episode, and the results last.

    Of each episode only its figures are kept, until the results are computed. Raises AlteredError.
    """
    identities = store.identities()
    every: list[Graded] = []
    for told, graded in with_episodes(store, contents=True):
        every.append(graded)
        cell = told.episode.cell
        yield "episodes", episode_row(told.episode, graded, identities[cell.key])
        yield from (("steps", row) for row in step_rows(cell, store.steps(told)))
        yield from (("ledger", row) for row in ledger_rows(cell, told.ledger))
    yield from (("results", flat(row)) for row in measure(every))


def episode_row(episode: Episode, graded: Graded, identity: str) -> Row:
    """Return the row of an episode."""
    grade = episode.grade
    return {
        **flat(graded),
        # The database has an empty text for what is not known, and a table has no value there.
        "identity": identity or None,
        "verdict": None if grade is None else grade.verdict,
        "checkpoints": in_json(grade and grade.passed),
        "harms": in_json(grade and grade.harms),
        "unmet": in_json(grade and grade.unmet),
        "message": episode.message,
        "traceback": episode.traceback or None,
    }


def step_rows(cell: Cell, steps: Iterable[BareStep]) -> Iterator[Row]:
    """Yield the row of each step of an episode."""
    key = key_of(cell)
    for number, step in enumerate(steps):
        yield {**key, "step": number, **_step(step)}


def ledger_rows(cell: Cell, ledger: Iterable[Entry]) -> Iterator[Row]:
    """Yield the row of each line of an episode's ledger."""
    key = key_of(cell)
    for entry in ledger:
        yield {**key, **flat(entry)}


def key_of(cell: Cell) -> Row:
    """Return the columns that name an episode."""
    named = cell.agent, cell.task, cell.condition, cell.world, cell.stress, cell.epoch
    return dict(zip(KEY, named, strict=True))


def _step(step: BareStep) -> Row:
    # Taken out one by one: what is left are the parameters that have no column of their own.
    given = {} if step.action is None else step.action.model_dump(exclude_defaults=True)
    told: Row = {"action": given.pop("kind", None)}
    told |= {name: given.pop(name, None) for name in ("selector", "text")}
    said = {name: given.pop(name, None) for name in ("message", "reasoning")}
    return {
        **told,
        "parameters": in_json(given) if given else None,
        **said,
        "ok": step.outcome and step.outcome.ok,
        "outcome": None if step.outcome is None else str(step.outcome),
        "url": step.url,
        "seconds": step.seconds,
        "decision_seconds": step.usage.seconds,
        "tokens_in": step.usage.tokens_in,
        "tokens_out": step.usage.tokens_out,
        "tries": step.usage.tries,
        "rejected": len(step.usage.rejected),
        "model": step.usage.model or None,
    }
