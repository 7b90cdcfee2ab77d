"""The exported tables of a run: results, episodes, steps and ledger, with the meaning of each column."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, get_args

from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.result_row import ResultRow
from stressweb.log.episode import Episode
from stressweb.log.ledger import Entry
from stressweb.log.page_reader import BareStep
from stressweb.log.recording import Cell
from stressweb.log.store_reader import StoreReader
from stressweb.runner.export.columns import Column, Row, column, columns_of, flat, in_json
from stressweb.runner.outcome.results import with_episodes

type Name = Literal["results", "episodes", "steps", "ledger"]
NAMES: tuple[Name, ...] = get_args(Name.__value__)

KEY = ("agent", "task", "condition", "world_seed", "stress_seed", "epoch")
"""The columns that identify an episode, to join tables by."""


class Table(NamedTuple):
    """A table: the meaning of a row, and its columns in order."""

    meaning: str
    columns: tuple[Column, ...]


_GRADED = columns_of(Graded)
# Taken from the columns of episodes, so that types are the same in all tables.
_KEY = tuple(graded_column for name in KEY for graded_column in _GRADED if graded_column.name == name)
_EPISODE = (
    Column("identity", "text", "Hash of everything that defines the cell; episodes with the same one are comparable."),
    Column("verdict", "boolean", "Whether the final database holds the goal's changes; empty if there are none."),
    Column("checkpoints", "text", "Every checkpoint by name and whether it passed; empty after an error. JSON."),
    Column("harms", "text", "Every harm by name and whether it happened; empty after an error. JSON."),
    Column("unmet", "text", "Required changes of the database that are missing. JSON."),
    Column("message", "text", "The agent's final message, or the error."),
    Column("traceback", "text", "Traceback of a crash or an error."),
)
_STEP = (
    Column("step", "integer", "Number of the action, from 1; 0 is the first page and has no action."),
    Column("action", "text", "Kind of the action: CLICK, FILL, DONE."),
    Column("selector", "text", "Selector of the target."),
    Column("text", "text", "Text that was typed or filled in."),
    Column("parameters", "text", "All other parameters that differ from their defaults. JSON."),
    Column("message", "text", "The agent's message with DONE or FAIL."),
    Column("reasoning", "text", "The agent's reasoning for the action."),
    Column("ok", "boolean", "Whether the action could be performed; it may still have had no effect."),
    Column("outcome", "text", "Outcome of the action, as the agent got it."),
    Column("url", "text", "Address of the page after the action."),
    column("seconds", "number", "Time from the observation to the settled page after the action."),
    column("decision_seconds", "number", "Time for the decision, including waits between tries."),
    column("tokens_in", "integer", "Input tokens of a language model, as its server counted them."),
    column("tokens_out", "integer", "Output tokens of a language model, as its server counted them."),
    Column("tries", "integer", "Requests sent to the model, including refused and failed ones."),
    Column("rejected", "integer", "Number of the model's answers that were not a valid action."),
    Column("model", "text", "Name of the model, as the server reported it."),
)

TABLES: Mapping[Name, Table] = {
    "results": Table("One row for each agent and condition.", columns_of(ResultRow)),
    "episodes": Table("One row for each finished episode.", (*_GRADED, *_EPISODE)),
    "steps": Table("One row for each step of each episode.", (*_KEY, *_STEP)),
    "ledger": Table(
        "One row for each entry of the ledger: disturbances planned, delivered, met and overcome.",
        (*_KEY, *columns_of(Entry)),
    ),
}
"""Every table by name, which is also the name of its file."""


def rows(store: StoreReader) -> Iterator[tuple[Name, Row]]:
    """Yield every row of a run with the name of its table: episode by episode, then the results.

    Raises AlteredError.
    """
    identities = store.identities()
    every: list[Graded] = []
    for details, graded in with_episodes(store, contents=True):
        every.append(graded)
        cell = details.episode.cell
        yield "episodes", episode_row(details.episode, graded, identities[cell.key])
        yield from (("steps", row) for row in step_rows(cell, store.steps(details)))
        yield from (("ledger", row) for row in ledger_rows(cell, details.ledger))
    yield from (("results", flat(row)) for row in measure(every))


def episode_row(episode: Episode, graded: Graded, identity: str) -> Row:
    """Return the row of an episode."""
    grade = episode.grade
    return {
        **flat(graded),
        # An unknown identity is an empty text in the database.
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
    """Yield the row of each entry of an episode's ledger."""
    key = key_of(cell)
    for entry in ledger:
        yield {**key, **flat(entry)}


def key_of(cell: Cell) -> Row:
    """Return the columns that identify an episode."""
    key_columns = cell.agent, cell.task, cell.condition, cell.world, cell.stress, cell.epoch
    return dict(zip(KEY, key_columns, strict=True))


def _step(step: BareStep) -> Row:
    # Removed one by one; the remaining parameters share a column.
    parameters = {} if step.action is None else step.action.model_dump(exclude_defaults=True)
    row: Row = {"action": parameters.pop("kind", None)}
    row |= {name: parameters.pop(name, None) for name in ("selector", "text")}
    texts = {name: parameters.pop(name, None) for name in ("message", "reasoning")}
    return {
        **row,
        "parameters": in_json(parameters) if parameters else None,
        **texts,
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
