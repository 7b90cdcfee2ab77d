"""Grading of recorded episodes, right after they ended or later."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, overload

from stressweb.core.errors import InfrastructureError
from stressweb.log.recording import EpisodeRecord, Shown
from stressweb.plugins.checks import Grade
from stressweb.plugins.query import Run, State

if TYPE_CHECKING:
    from runner.registry import Library

_STATES_KEPT = 256
_GOALS_KEPT = 1024


class _States(Sequence[State]):
    """The states of an episode, each parsed when a check first looks at it."""

    def __init__(self, grader: "Grader", pages: Sequence[Shown], key: bytes) -> None:
        self._grader, self._pages, self._key = grader, pages, key

    @overload
    def __getitem__(self, at: int) -> State: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[State]: ...
    def __getitem__(self, at: int | slice) -> State | Sequence[State]:
        if isinstance(at, slice):
            return _States(self._grader, self._pages[at], self._key)
        page = self._pages[at]
        return self._grader.state(page.url, page.recorded, self._key)

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[State]:
        return (self[at] for at in range(len(self)))


class Grader:
    """Grades episodes of any site; a page that several of them show is parsed once."""

    def __init__(self, library: "Library") -> None:
        """Take where goals and checkpoints come from."""
        # Drawing a goal takes as long as reading an episode, and a run has each goal many times.
        self._goal = lru_cache(_GOALS_KEPT)(library.goal)
        self._library = library
        self.state = lru_cache(_STATES_KEPT)(State)

    def run(self, record: EpisodeRecord) -> Run:
        """Return an episode as its checkpoints see it."""
        key = record.cell.mark_key
        # A step that only says DONE shows the page before it again; a state is an observation.
        pages = [step.page for step in record.steps if step.action is None or not step.action.final]
        closings = {path: self.state(page.url, page.recorded, key) for path, page in record.closings.items()}
        return Run(_States(self, pages, key), closings, record.final)

    def grade(self, record: EpisodeRecord) -> Grade:
        """Return what an episode achieved; raises InfrastructureError naming the cell if a checkpoint itself fails."""
        cell = record.cell
        goal = self._goal(cell.task, cell.world)
        checklist = self._library.checklist(cell.site)
        try:
            return checklist.grade(self.run(record), goal)
        # A checkpoint that raises says nothing about the agent: the episode must not count for or against it.
        except Exception as error:
            raise InfrastructureError(f"grading {cell.key}: {type(error).__name__}: {error}") from error
