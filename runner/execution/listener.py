"""Who hears what happens in a run: the table on the terminal, the counters of costs and of errors, a test."""

from collections.abc import Collection

from runner.execution.backend import Finished
from runner.execution.lanes import Lanes
from runner.plan.budget import Spending
from stressweb.log.recording import Cell


class Listener:
    """Hears what happens in a run, and does nothing about it: override what you want to hear."""

    def expect(self, total: int, done: int, lanes: Lanes, spending: Spending | None = None) -> None:
        """Hear how many episodes there are, how many a run that is continued has, and who knows what it costs."""

    def must_fail(self, agents: Collection[str]) -> None:
        """Hear which agents fail in the next run if all is right, such as agents that do nothing."""

    def started(self, cell: Cell) -> None:
        """Hear that a worker has been given an episode. Called by several threads."""

    def again(self, cell: Cell, reason: str) -> None:
        """Hear that the worker of an episode ended, why, and that the episode will run again. By several threads."""

    def finished(self, finished: Finished) -> None:
        """Hear that an episode is finished and stored."""


class Listeners(Listener):
    """Several listeners, who hear everything in turn."""

    def __init__(self, *listeners: Listener) -> None:
        """Take the listeners."""
        self._listeners = listeners

    def expect(self, total: int, done: int, lanes: Lanes, spending: Spending | None = None) -> None:
        """Tell all of them."""
        for listener in self._listeners:
            listener.expect(total, done, lanes, spending)

    def must_fail(self, agents: Collection[str]) -> None:
        """Tell all of them."""
        for listener in self._listeners:
            listener.must_fail(agents)

    def started(self, cell: Cell) -> None:
        """Tell all of them."""
        for listener in self._listeners:
            listener.started(cell)

    def again(self, cell: Cell, reason: str) -> None:
        """Tell all of them."""
        for listener in self._listeners:
            listener.again(cell, reason)

    def finished(self, finished: Finished) -> None:
        """Tell all of them."""
        for listener in self._listeners:
            listener.finished(finished)


class Accountant(Listener):
    """Counts what the episodes of a run cost."""

    def __init__(self, spending: Spending) -> None:
        """Take where it is added up."""
        self._spending = spending

    def finished(self, finished: Finished) -> None:
        """Count an episode."""
        self._spending.add(finished.cell.agent, finished.usage)
