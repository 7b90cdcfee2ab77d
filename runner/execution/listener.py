"""Listeners for the progress of a run, such as the table in the terminal and the counters of costs and errors."""

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

from stressweb.log.recording import Cell
from stressweb.runner.execution.backend import Finished
from stressweb.runner.execution.lanes import Lanes
from stressweb.runner.plan.budget import Spending


class Listener:
    """Listener that ignores everything; override the methods that you need."""

    def expect(self, total: int, done: int, lanes: Lanes, spending: Spending | None = None) -> None:
        """Called with the number of episodes and how many are already done; `spending` counts the run's cost."""

    def must_fail(self, agents: Collection[str]) -> None:
        """Called with the agents that are expected to fail in the next run, such as agents that do nothing."""

    def forking(self) -> AbstractContextManager[None]:
        """Return a context in which this process forks; stop your threads during it."""
        return nullcontext()

    def started(self, cell: Cell) -> None:
        """Called by several threads when a worker gets an episode."""

    def again(self, cell: Cell, reason: str) -> None:
        """Called by several threads when an episode's worker died for `reason` and the episode will run again."""

    def finished(self, finished: Finished) -> None:
        """Called when an episode is finished and stored."""


class Listeners(Listener):
    """Calls several listeners in turn."""

    def __init__(self, *listeners: Listener) -> None:
        """Take the listeners."""
        self._listeners = listeners

    def expect(self, total: int, done: int, lanes: Lanes, spending: Spending | None = None) -> None:
        """Call all listeners."""
        for listener in self._listeners:
            listener.expect(total, done, lanes, spending)

    def must_fail(self, agents: Collection[str]) -> None:
        """Call all listeners."""
        for listener in self._listeners:
            listener.must_fail(agents)

    @contextmanager
    def forking(self) -> Iterator[None]:
        """Enter the contexts of all listeners."""
        with ExitStack() as stack:
            for listener in self._listeners:
                stack.enter_context(listener.forking())
            yield

    def started(self, cell: Cell) -> None:
        """Call all listeners."""
        for listener in self._listeners:
            listener.started(cell)

    def again(self, cell: Cell, reason: str) -> None:
        """Call all listeners."""
        for listener in self._listeners:
            listener.again(cell, reason)

    def finished(self, finished: Finished) -> None:
        """Call all listeners."""
        for listener in self._listeners:
            listener.finished(finished)


class Accountant(Listener):
    """Counts the cost of a run's episodes."""

    def __init__(self, spending: Spending) -> None:
        """Take the object that adds the costs up."""
        self._spending = spending

    def finished(self, finished: Finished) -> None:
        """Count an episode."""
        self._spending.add(finished.cell.agent, finished.usage)
