"""How far a run is: a bar where somebody is looking, else a line every few seconds, always on standard error."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager

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

from runner.api.start import Finished, Lanes, Listener, Spending
from runner.commands.output import printable, say
from stressweb.core.periodic import every
from stressweb.core.words import counted
from stressweb.log.recording import Cell

EVERY_S = 5.0
"""Seconds between two lines where there is no terminal."""


class Tally(Listener):
    """What a run does now and has done: told by several threads, read by the one that shows it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with the time; nothing is known of the run yet."""
        self._clock, self._start = clock, clock()
        self._running: dict[str, Cell] = {}
        self._lock = threading.Lock()
        self._phase = "starting"
        self.done, self.errors, self.failed = 0, 0, 0
        self.failed_as_meant = 0
        """Episodes of agents that must fail, and did; all that is not as it must be is among `failed`."""
        self._must_fail: frozenset[str] = frozenset()
        self._before = 0
        self._spending: Spending | None = None
        self.total: int | None = None
        """Number of episodes; None while the plan is being made."""

    def phase(self, doing: str) -> None:
        """Remember what is done before there are episodes."""
        self._phase = doing

    def expect(self, total: int, done: int, lanes: Lanes, spending: Spending | None = None) -> None:
        """Remember how many episodes there are, how many of them are done already, and where the costs are counted."""
        self._phase = f"starting {lanes}"
        self._spending, self._before = spending, done
        self.total, self.done = total, done
        # A command may have several runs, and what is shown is about the one that is going on.
        self.errors = self.failed = self.failed_as_meant = 0

    def must_fail(self, agents: Collection[str]) -> None:
        """Remember which agents fail in the next run if all is right."""
        self._must_fail = frozenset(agents)

    def started(self, cell: Cell) -> None:
        """Hear that a worker has been given an episode."""
        with self._lock:
            self._running[cell.key] = cell

    def again(self, cell: Cell, reason: str) -> None:
        """Hear that an episode does not run any more, and will run again."""
        with self._lock:
            self._running.pop(cell.key, None)

    def finished(self, finished: Finished) -> None:
        """Hear that an episode is finished."""
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
        """What is being done: the phase, or an episode that runs and the number of the others."""
        with self._lock:
            running = list(self._running.values())
        parts = [self._phase]
        if running:
            cell = running[-1]
            parts = [cell.task, cell.agent, cell.condition, *([f"+{len(running) - 1}"] if len(running) > 1 else [])]
        return printable(" · ".join(parts))

    @property
    def line(self) -> str:
        """Where the run is, in one line for a log."""
        seconds = self._clock() - self._start
        done = f"{self.done} of {counted(self.total or 0, 'episode')} done"
        parts = [done, *(self.failures or ["0 failed"]), counted(self.errors, "error"), f"{seconds:.0f} s"]
        parts += [*self._pace(seconds), *self.spend]
        return f"stressweb: {', '.join(parts)}; {self.doing}"

    @property
    def failures(self) -> list[str]:
        """How many episodes failed, and how many failed as they must; nothing where there are none."""
        failed = [f"{self.failed} failed"] if self.failed else []
        return failed + ([f"{self.failed_as_meant} failed as they must"] if self.failed_as_meant else [])

    def _pace(self, seconds: float) -> list[str]:
        """Say how fast the run is after so many seconds, and how long the rest takes at that rate."""
        # Episodes of an earlier command took none of this one's time.
        new = self.done - self._before
        left = (self.total or 0) - self.done
        if not (new and left and seconds > 0):
            return []
        return [f"{60 * new / seconds:.1f} a minute", f"about {left * seconds / new:.0f} s left"]

    @property
    def spend(self) -> list[str]:
        """What the episodes have cost so far, in tokens and US dollars; nothing for agents that ask no model."""
        found = self._spending
        if found is None or not found.tokens:
            return []
        return [f"{found.tokens:,} tokens", *([f"{found.usd:.2f} USD"] if found.usd else [])]


@contextmanager
def progress(*, quiet: bool, every_s: float = EVERY_S) -> Iterator[Tally]:
    """Show on standard error how far a run is, until the block ends; yield the tally that the run reports to.

    With `quiet` nothing is shown, for programs that read the output.
    """
    tally = Tally()
    console = Console(stderr=True)
    if quiet:
        yield tally
    elif console.is_terminal and not console.is_dumb_terminal:
        with _Bar(tally, console):
            yield tally
    else:
        with _lines(tally, every_s):
            yield tally


class _Bar(Progress):
    """A bar that reads the tally whenever it is drawn."""

    PER_SECOND = 4
    """How often it is drawn: ten times, as usual, takes more than twice the CPU time, and shows nothing more."""

    def __init__(self, tally: Tally, console: Console) -> None:
        """Take what is shown and where; it vanishes when the run is over."""
        # Without markup, since brackets are part of what an agent may be called; cut, since a second line flickers.
        doing = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
        times = TimeElapsedColumn(), TimeRemainingColumn()
        columns = SpinnerColumn(), BarColumn(20), MofNCompleteColumn(), *times, doing
        super().__init__(*columns, console=console, transient=True, refresh_per_second=self.PER_SECOND)
        self._tally = tally
        self.add_task(tally.doing, total=None)

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return what is drawn, as the tally is now."""
        for shown in self.task_ids:
            errors = [counted(self._tally.errors, "error")] if self._tally.errors else []
            doing = " · ".join([*self._tally.failures, *errors, *self._tally.spend, self._tally.doing])
            self.update(shown, total=self._tally.total, completed=self._tally.done, description=doing)
        return super().get_renderables()


@contextmanager
def _lines(tally: Tally, every_s: float) -> Iterator[None]:
    def tell() -> None:
        # A plan that is rejected gets one line, the error, and no line about progress before it.
        if tally.total is not None:
            say(tally.line, err=True)

    with every(every_s, tell):
        yield
