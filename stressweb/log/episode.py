"""A finished episode without its pages, as read from its rows in the run database."""

from dataclasses import dataclass
from typing import NamedTuple

from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, Claim, Status
from stressweb.log.sealing import Rows, Stored
from stressweb.log.store_rows import action_in, grade_in, usage_in
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Usage
from stressweb.plugins.checks import Grade


@dataclass(frozen=True)
class Episode:
    """A finished episode without its pages: the input of measures."""

    cell: Cell
    status: Status
    claim: Claim
    message: str
    steps: int
    """Actions taken, including DONE or FAIL."""
    grade: Grade | None
    seconds: float
    usage: Usage
    """What all decisions cost together."""
    traceback: str = ""
    """The whole traceback of a crash or an error."""


class EpisodeEnd(NamedTuple):
    """How a finished episode ended, as stored."""

    cell: Cell
    status: Status
    success: bool | None
    """Whether it was graded a success; None if that was not observed."""


class EpisodeDetails(NamedTuple):
    """A finished episode without its pages, with its ledger and actions: read at once, and checked."""

    episode: Episode
    ledger: list[Entry]
    step_actions: list[Action | None]
    """The action of each step; None for step 0, which is the first page."""
    stored: Stored
    """The rows that it was read from."""

    @property
    def actions(self) -> list[Action]:
        """Every action in order, DONE or FAIL included."""
        return [action for action in self.step_actions if action is not None]


def details_in(key: str, stored: Stored) -> EpisodeDetails:
    """Return the details of an episode from its rows; raises ValueError for invalid rows."""
    ledger = [Entry.model_validate_json(entry) for (entry,) in stored["ledger"].of("entry")]
    return EpisodeDetails(episode_in(key, stored), ledger, step_actions_in(stored["step"]), stored)


def episode_in(key: str, stored: Stored) -> Episode:
    """Return an episode from its rows; raises ValueError for invalid rows."""
    ((data,),) = stored["cell"].of("data")
    columns = "status", "claim", "message", "steps", "grade", "seconds", "usage", "traceback"
    ((status, claim, message, steps, grade, seconds, cost, traceback),) = stored["episode"].of(*columns)
    cell = cell_in(key, data)
    return Episode(cell, status, claim, message, steps, grade_in(grade), seconds, usage_in(cost), traceback)


def step_actions_in(steps: Rows) -> list[Action | None]:
    """Return the action of each step from the rows of steps; raises ValueError for invalid rows."""
    return [action_in(text) for (text,) in steps.of("action")]


def cell_in(key: str, data: str) -> Cell:
    """Return a planned cell; raises ValueError if its key is not `key`."""
    cell = Cell.model_validate_json(data)
    if cell.key != key:
        raise ValueError(f"the cell {key[:200]!r} is another one")
    return cell
