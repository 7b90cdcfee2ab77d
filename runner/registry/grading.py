"""Grades recorded episodes."""

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from stressweb.analysis.conformity import actions_ahead
from stressweb.cases.grading import judged
from stressweb.core.errors import InfrastructureError
from stressweb.log.open_tabs import open_pages
from stressweb.log.recording import EpisodeRecord, Shown, StepRecord
from stressweb.plugins.checks import Grade
from stressweb.plugins.query import Parsed, Run, State
from stressweb.plugins.task import Goal

if TYPE_CHECKING:
    from stressweb.runner.registry.library import Library

# Cache sizes. Parsed pages are large, and only undisturbed pages recur, in neighbouring episodes.
_PARSED_KEPT = 32
_GOALS_KEPT = 1024


class Grader:
    """Grades episodes of any site; a page that occurs in several episodes is parsed once."""

    def __init__(self, library: "Library") -> None:
        """Take the library of goals and checkpoints."""
        # Drawing a goal takes as long as reading an episode, and each goal recurs.
        self._goal = lru_cache(_GOALS_KEPT)(library.goal)
        self._library = library
        self._parse = lru_cache(_PARSED_KEPT)(Parsed)

    def run(self, record: EpisodeRecord, goal: Goal | None = None) -> Run:
        """Return an episode as checkpoints see it; `goal` maps rows to evidence pages."""
        known = dict[tuple[str, int], State]()

        def state(page: Shown) -> State:
            # By identity: equal pages of an episode are one object, and hashing every page would be slow.
            place = page.url, id(page.recorded)
            if place not in known:
                known[place] = State(page.url, page.recorded, self._parse)
            return known[place]

        pages = [step.page for step in _states(record)]
        closings = {path: state(page) for path, page in record.closings.items()}
        # Checkpoints refer to the page of an added row by the row, recordings by the path.
        paths = goal.paths(record.final) if goal is not None else {}
        closings |= {name: closings[path] for name, path in paths.items() if path in closings}
        open_states = [state(page) for page in open_pages(pages)]
        missing = any(entry.phase == "unread" for entry in record.ledger)
        return Run(
            [state(page) for page in pages], closings, record.final, open_pages=open_states, pages_missing=missing
        )

    def grade(self, record: EpisodeRecord) -> Grade:
        """Return the grade of an episode; raises InfrastructureError naming the cell if a checkpoint raises."""
        cell = record.cell
        goal = self._goal(cell.task, cell.world)
        try:
            if goal.case is not None:
                ended = record.status in ("done", "gave_up")
                # If no answer of the model was an action, the message is not the tester's own verdict.
                message = record.message if ended and not record.usage.unanswered else ""
                count_ahead = partial(actions_ahead, goal.case.steps, _states(record))
                return judged(goal.case, self.run(record, goal), message, count_ahead)
            checklist = self._library.checklist(cell.site)
            return checklist.grade(self.run(record, goal), goal)
        # A checkpoint that raises says nothing about the agent, so the episode must not count.
        except Exception as error:
            raise InfrastructureError(f"grading {cell.key}: {type(error).__name__}: {error}") from error


def _states(record: EpisodeRecord) -> list[StepRecord]:
    """Return the first page of an episode, and each action with the page after it."""
    # A DONE or FAIL step only shows the previous page again.
    return [step for step in record.steps if step.action is None or not step.action.final]
