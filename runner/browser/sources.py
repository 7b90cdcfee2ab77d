"""The observation sources of plug-ins: read under a time limit; a failure counts as the agent's that asked for them."""

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from stressweb.core.errors import InfrastructureError, first_line
from stressweb.core.tracebacks import concealed, trace_of
from stressweb.plugins.observation_source import READ_S, ObservationSource, SourceValues
from stressweb.runner.browser.pace import check_pace
from stressweb.runner.browser.settle import torn

type Charged = Callable[[float], AbstractContextManager[None]]
"""Counts the time of its body, at most so many seconds, as the agent's."""
ALIVE_S = 5.0
"""Seconds that a page has to answer after a source failed on it; one that does not is blocked, not dead."""
_LOOK_S = 0.05
"""Seconds between looks at a source that reads: as far as the loop comes back later, somebody has held it up."""
_MESSAGE = 500
"""Characters of an exception's message that are kept beside its traceback."""


class SourceError(Exception):
    """A source that the agent asked for failed: it raised, took too long, or returned what cannot be recorded."""

    def __init__(self, message: str, traceback: str) -> None:
        """Take one line, and the traceback as it is kept."""
        super().__init__(message)
        self.traceback = traceback


class Late(BaseException):
    """The time is over. Not an Exception, so a reader that catches those and tries again is ended all the same."""


class SourceReader:
    """Reads the sources of one episode; `failure` says which one failed on the page that was read last, and how."""

    def __init__(self, kinds: Sequence[type[ObservationSource]], charged: Charged, seconds: float = READ_S) -> None:
        """Take the classes of the sources, and the seconds that each has for a page; nothing is made yet."""
        self._kinds, self._charged, self._seconds = kinds, charged, seconds
        self._made: dict[str, ObservationSource] = {}
        self.failure: SourceError | None = None

    async def read(self, page: Page, deadline: float) -> SourceValues:
        """Return what each source reads of a settled page; nothing more after one that failed.

        Raises PlaywrightError if a navigation took the page away before `deadline`, in seconds of the monotonic clock,
        and InfrastructureError if the browser is gone, or if a time-out may be due to a slow machine.
        """
        # A failure belongs to one page: the next page is read as if nothing had happened.
        self.failure = None
        values = SourceValues()
        for kind in self._kinds:
            try:
                with self._charged(self._seconds):
                    value, error = await limited(self._tried(kind, page), self._seconds)
                if error is not None:
                    raise error
                values = SourceValues({**values, kind.name: value})
            # A dialog has opened: the session knows what to do.
            except asyncio.CancelledError:
                raise
            # Everything that a plug-in may raise, SystemExit included.
            except BaseException as error:
                if isinstance(error, PlaywrightError) and torn(error) and time.monotonic() < deadline:
                    raise
                await self._blame(kind.name, error, page)
                break
        return values

    async def _tried(self, kind: type[ObservationSource], page: Page) -> tuple[Any, BaseException | None]:
        """Return what a source reads, or what it raised."""
        try:
            # Made under the limit, too, because a plug-in's constructor may raise like its reader.
            if kind.name not in self._made:
                self._made[kind.name] = kind()
            return await self._made[kind.name].read(page), None
        except asyncio.CancelledError:
            raise
        # Not left to asyncio: a SystemExit that a task raises ends the whole loop.
        except BaseException as error:
            return None, error

    async def _blame(self, name: str, error: BaseException, page: Page) -> None:
        """Write down that a source failed, if it was the source; raises InfrastructureError if it was not."""
        source = f"observation source {name!r}"
        if isinstance(error, Late):
            # On a machine that is too slow, the time limit says nothing about the source.
            await check_pace(page, source)
            reason = f"took more than its {self._seconds:g} seconds for one page"
        else:
            # If the browser has died, every source fails, which is not its fault.
            await _check_alive(page, source)
            if isinstance(error, PlaywrightTimeoutError):
                await check_pace(page, source)
            reason = f"{type(error).__name__}: {_message(error)}"
        self.failure = SourceError(f"{source}: {reason}", trace_of(error))


class _Timed:
    """Does some work when it is awaited, and counts the time in which that runs instead of waiting."""

    def __init__(self, work: Awaitable[Any]) -> None:
        self._work = work
        self.seconds = 0.0

    def where(self) -> str:
        """Return where the work waits, as lines of a traceback."""
        frames = []
        inner: Any = self._work
        while (frame := getattr(inner, "cr_frame", None)) is not None:
            frames.append((frame, frame.f_lineno))
            inner = inner.cr_await
        return "".join(traceback.StackSummary.extract(iter(frames)).format())

    def __await__(self) -> Generator[Any, Any, Any]:
        steps = self._work.__await__()
        error: BaseException | None = None
        while True:
            begun = time.monotonic()
            try:
                waited_for = next(steps) if error is None else steps.throw(error)
            except StopIteration as ended:
                return ended.value
            finally:
                self.seconds += time.monotonic() - begun
            try:
                error = None
                yield waited_for
            except BaseException as raised:
                error = raised


async def limited(work: Awaitable[Any], seconds: float) -> Any:
    """Return what some work gives; raises Late after so many seconds, whatever the work does about being cancelled.

    Other episodes share the loop: time for which their code holds it up does not count. Work that never waits for
    anything holds up the whole process: its parent ends it.
    """
    timed = _Timed(work)
    task = asyncio.ensure_future(timed)
    task.add_done_callback(_unheard)
    counted = 0.0
    try:
        while counted < seconds and not task.done():
            begun, before = time.monotonic(), timed.seconds
            pause = min(_LOOK_S, seconds - counted)
            await asyncio.wait({task}, timeout=pause)
            counted += min(time.monotonic() - begun, pause + timed.seconds - before)
        late = Late()
        late.add_note(timed.where())
    finally:
        # After an answer this does nothing.
        task.cancel()
    if not task.done() or counted > seconds:
        raise late
    return task.result()


def _unheard(task: "asyncio.Future[Any]") -> None:
    """Take the exception of a task that may have ended too late: asyncio prints exceptions that are never taken."""
    if not task.cancelled():
        task.exception()


async def _check_alive(page: Page, what: str) -> None:
    """Raise InfrastructureError if the page no longer answers because it, or the browser, has died."""
    try:
        await limited(page.evaluate("() => true"), ALIVE_S)
    except PlaywrightError as error:
        if not torn(error):
            raise InfrastructureError(f"{what}: the page closed or crashed: {first_line(error)}") from error
    except Late:
        await check_pace(page, what)


def _message(error: BaseException) -> str:
    """Return an exception's message in one line, as it is kept; a plug-in's code makes it and may fail."""
    try:
        return concealed(first_line(error))[:_MESSAGE]
    except Exception:
        return "(its message cannot be read)"
