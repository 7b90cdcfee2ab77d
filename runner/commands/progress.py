"""Displays the progress of a run on standard error: a bar on a terminal, else a line every few seconds."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column

from stressweb.core.periodic import every
from stressweb.core.words import counted
from stressweb.log.recording import Cell
from stressweb.runner.api.start import Finished, Lanes, Listener, Spending
from stressweb.runner.commands.output import printable, say

EVERY_S = 5.0
"""Seconds between two lines without a terminal."""


class Tally(Listener):
    """The progress of a run, to which several threads report."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the clock."""
        self._clock, self._start = clock, clock()
        self._running: dict[str, Cell] = {}
        self._lock = threading.Lock()
        self._phase = "starting"
        self.done, self.errors, self.failed = 0, 0, 0
        self.failed_as_meant = 0
        """Failed episodes of agents that must fail; their successes are counted in `failed`."""
        self._must_fail: frozenset[str] = frozenset()
        self._done_before = 0
        self._spending: Spending | None = None
        self._display: Callable[[], AbstractContextManager[None]] = nullcontext
        self._displaying = ExitStack()
        self.total: int | None = None
        """Number of episodes; None before the plan is complete."""

    @contextmanager
    def displayed(self, display: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
        """Display this tally until the block ends; `display` returns the context in which a thread displays it."""
        self._display = display
        with self._displaying:
            self._displaying.enter_context(display())
            yield

    @contextmanager
    def forking(self) -> Iterator[None]:
        """End the display's thread, and start another one after the fork."""
        self._displaying.close()
        yield
        self._displaying.enter_context(self._display())

    def phase(self, doing: str) -> None:
        """Set the current activity, which is displayed while no episode is running."""
        self._phase = doing

    def expect(self, total: int, done: int, lanes: Lanes, spending: Spending | None = None) -> None:
        """Set the number of episodes, the number of those already done, and the counter of costs."""
        self._phase = f"starting {lanes}"
        self._spending, self._done_before = spending, done
        self.total, self.done = total, done
        # A command may have several runs, which are counted separately.
        self.errors = self.failed = self.failed_as_meant = 0

    def must_fail(self, agents: Collection[str]) -> None:
        """Set the agents that must fail in the next run."""
        self._must_fail = frozenset(agents)

    def started(self, cell: Cell) -> None:
        """Record that a worker has started an episode."""
        with self._lock:
            self._running[cell.key] = cell

    def again(self, cell: Cell, reason: str) -> None:
        """Record that an episode has stopped and will run again."""
        with self._lock:
            self._running.pop(cell.key, None)

    def finished(self, finished: Finished) -> None:
        """Record that an episode has finished."""
        with self._lock:
            self._running.pop(finished.cell.key, None)
            self.done += 1
            self.errors += finished.status == "error"
            if finished.status != "error" and finished.success is not None:
                control = finished.cell.agent in self._must_fail
                self.failed_as_meant += control and not finished.success
                self.failed += control == finished.success
            self._phase = "finishing" if self.done == self.total else "starting a worker"

    @property
    def doing(self) -> str:
        """Current activity: the phase, or a running episode and the number of others."""
        with self._lock:
            running = list(self._running.values())
        parts = [self._phase]
        if running:
            cell = running[-1]
            parts = [cell.task, cell.agent, cell.condition, *([f"+{len(running) - 1}"] if len(running) > 1 else [])]
        return printable(" · ".join(parts))

    @property
    def line(self) -> str:
        """Progress on one line, for a log."""
        seconds = self._clock() - self._start
        done = f"{self.done} of {counted(self.total or 0, 'episode')} done"
        parts = [done, *(self.failures or ["0 failed"]), counted(self.errors, "error"), f"{seconds:.0f} s"]
        parts += [*self._pace(seconds), *self.spend]
        return f"stressweb: {', '.join(parts)}; {self.doing}"

    @property
    def failures(self) -> list[str]:
        """Numbers of episodes that failed, and that failed as they must; zero counts are left out."""
        failed = [f"{self.failed} failed"] if self.failed else []
        return failed + ([f"{self.failed_as_meant} failed as they must"] if self.failed_as_meant else [])

    def _pace(self, seconds: float) -> list[str]:
        """Return the rate of episodes after so many seconds, and the remaining time."""
        # Without episodes that an earlier command had done.
        new = self.done - self._done_before
        remaining = (self.total or 0) - self.done
        if not (new and remaining and seconds > 0):
            return []
        return [f"{60 * new / seconds:.1f} a minute", f"about {remaining * seconds / new:.0f} s left"]

    @property
    def spend(self) -> list[str]:
        """Cost of the episodes so far, in tokens and US dollars; empty for agents without a model."""
        spending = self._spending
        if spending is None or not spending.tokens:
            return []
        return [f"{spending.tokens:,} tokens", *([f"{spending.usd:.2f} USD"] if spending.usd else [])]


@contextmanager
def progress(
    *, quiet: bool, every_s: float = EVERY_S, console: Console | None = None, tally: Tally | None = None
) -> Iterator[Tally]:
    """Display the progress of a run on standard error until the block ends; yield the tally to report to.

    With `quiet`, display nothing. `console` is by default that of standard error, and `tally` a new one.
    """
    tally, console = tally or Tally(), console or Console(stderr=True)
    if quiet:
        yield tally
    elif console.is_terminal and not console.is_dumb_terminal:
        with _Bar(tally, console) as bar, tally.displayed(lambda: every(1 / bar.PER_SECOND, bar.refresh)):
            yield tally
    else:
        with tally.displayed(lambda: _lines(tally, every_s)):
            yield tally


class _Bar(Progress):
    """A bar that reads the tally whenever it is drawn."""

    PER_SECOND = 4
    """Redraws per second, by a thread of ours, because rich's thread cannot be joined before a fork. Its default of ten
    takes more than twice the CPU time."""

    def __init__(self, tally: Tally, console: Console) -> None:
        """Take the tally and the console; the bar disappears at the end of the run."""
        # Without markup, since agents' names may have brackets; truncated, since a second line would flicker.
        doing = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
        times = TimeElapsedColumn(), TimeRemainingColumn()
        columns = SpinnerColumn(), BarColumn(20), MofNCompleteColumn(), *times, doing
        super().__init__(*columns, console=console, transient=True, auto_refresh=False)
        self._tally = tally
        self.add_task(tally.doing, total=None)

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return the bar for the current tally."""
        for task_id in self.task_ids:
            errors = [counted(self._tally.errors, "error")] if self._tally.errors else []
            doing = " · ".join([*self._tally.failures, *errors, *self._tally.spend, self._tally.doing])
            self.update(task_id, total=self._tally.total, completed=self._tally.done, description=doing)
        return super().get_renderables()


def _lines(tally: Tally, every_s: float) -> AbstractContextManager[None]:
    def print_line() -> None:
        # For a rejected plan, print only the error.
        if tally.total is not None:
            say(tally.line, err=True)

    return every(every_s, print_line)
