"""Reads the observation sources of plug-ins, under a time limit. A failure counts as the agent's."""

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
"""Counts the time of its body as the agent's, up to the given seconds."""
ALIVE_S = 5.0
"""Seconds that a page has to answer after a source failed on it; one that does not answer is blocked, not dead."""
_LOOK_S = 0.05
"""Seconds between checks of a running source; a longer interval means that something blocked the event loop."""
_MESSAGE = 500
"""Maximum number of characters of an exception's message."""


class SourceError(Exception):
    """A plug-in's source raised, took too long, or returned a value that cannot be recorded."""

    def __init__(self, message: str, traceback: str) -> None:
        """Take a message of one line, and the traceback to record."""
        super().__init__(message)
        self.traceback = traceback


class Late(BaseException):
    """The time limit has passed. Not an Exception, so that a source cannot catch it and continue."""


class SourceReader:
    """Reads the sources of one episode; `failure` is the error on the last page, or None."""

    def __init__(self, kinds: Sequence[type[ObservationSource]], charged: Charged, seconds: float = READ_S) -> None:
        """Take the classes of the sources, and the time limit of each per page, in seconds."""
        self._kinds, self._charged, self._seconds = kinds, charged, seconds
        self._sources: dict[str, ObservationSource] = {}
        self.failure: SourceError | None = None

    async def read(self, page: Page, deadline: float) -> SourceValues:
        """Return the value of each source on a settled page, up to the first source that fails.

        Raises PlaywrightError if a navigation replaced the page before `deadline`, in seconds of the monotonic clock,
        and InfrastructureError if the browser is gone, or if a time-out may be due to a slow machine.
        """
        # A failure belongs to one page.
        self.failure = None
        values = SourceValues()
        for kind in self._kinds:
            try:
                with self._charged(self._seconds):
                    value, error = await limited(self._try(kind, page), self._seconds)
                if error is not None:
                    raise error
                values = SourceValues({**values, kind.name: value})
            # A dialog opened, which the session handles.
            except asyncio.CancelledError:
                raise
            # A plug-in may raise anything, including SystemExit.
            except BaseException as error:
                if isinstance(error, PlaywrightError) and torn(error) and time.monotonic() < deadline:
                    raise
                await self._record_failure(kind.name, error, page)
                break
        return values

    async def _try(self, kind: type[ObservationSource], page: Page) -> tuple[Any, BaseException | None]:
        """Return the value of a source, or the error that it raised."""
        try:
            # Constructed under the limit, too, because a plug-in's constructor may fail.
            if kind.name not in self._sources:
                self._sources[kind.name] = kind()
            return await self._sources[kind.name].read(page), None
        except asyncio.CancelledError:
            raise
        # Returned, not raised, because a SystemExit raised in a task ends the whole loop.
        except BaseException as error:
            return None, error

    async def _record_failure(self, name: str, error: BaseException, page: Page) -> None:
        """Record a source's failure; raises InfrastructureError if the source was not to blame."""
        source = f"observation source {name!r}"
        if isinstance(error, Late):
            # Raises if the machine is too slow to blame the source.
            await check_pace(page, source)
            reason = f"took more than its {self._seconds:g} seconds for one page"
        else:
            # Raises if the browser has died, which fails every source.
            await _check_alive(page, source)
            if isinstance(error, PlaywrightTimeoutError):
                await check_pace(page, source)
            reason = f"{type(error).__name__}: {_message(error)}"
        self.failure = SourceError(f"{source}: {reason}", trace_of(error))


class _Timed:
    """Awaitable that runs other work, and counts the time in which the work runs rather than waits."""

    def __init__(self, work: Awaitable[Any]) -> None:
        self._work = work
        self.seconds = 0.0

    def where(self) -> str:
        """Return the place where the work waits, as lines of a traceback."""
        frames = []
        awaitable: Any = self._work
        while (frame := getattr(awaitable, "cr_frame", None)) is not None:
            frames.append((frame, frame.f_lineno))
            awaitable = awaitable.cr_await
        return "".join(traceback.StackSummary.extract(iter(frames)).format())

    def __await__(self) -> Generator[Any, Any, Any]:
        steps = self._work.__await__()
        error: BaseException | None = None
        while True:
            start = time.monotonic()
            try:
                waited_for = next(steps) if error is None else steps.throw(error)
            except StopIteration as ended:
                return ended.value
            finally:
                self.seconds += time.monotonic() - start
            try:
                error = None
                yield waited_for
            except BaseException as raised:
                error = raised


async def limited(work: Awaitable[Any], seconds: float) -> Any:
    """Return the result of `work`; raises Late after so many seconds, even if the work ignores its cancellation.

    Time in which other episodes block the shared event loop does not count. Work that never waits blocks the whole
    process, which its parent then ends.
    """
    timed = _Timed(work)
    task = asyncio.ensure_future(timed)
    task.add_done_callback(_retrieve_exception)
    counted = 0.0
    try:
        while counted < seconds and not task.done():
            start, before = time.monotonic(), timed.seconds
            pause = min(_LOOK_S, seconds - counted)
            await asyncio.wait({task}, timeout=pause)
            counted += min(time.monotonic() - start, pause + timed.seconds - before)
        timeout = Late()
        timeout.add_note(timed.where())
    finally:
        # Does nothing if the task has finished.
        task.cancel()
    if not task.done() or counted > seconds:
        raise timeout
    return task.result()


def _retrieve_exception(task: "asyncio.Future[Any]") -> None:
    """Retrieve the exception of a task that may end late, since asyncio logs exceptions that are never retrieved."""
    if not task.cancelled():
        task.exception()


async def _check_alive(page: Page, what: str) -> None:
    """Raise InfrastructureError if the page or the browser has died."""
    try:
        await limited(page.evaluate("() => true"), ALIVE_S)
    except PlaywrightError as error:
        if not torn(error):
            raise InfrastructureError(f"{what}: the page closed or crashed: {first_line(error)}") from error
    except Late:
        await check_pace(page, what)


def _message(error: BaseException) -> str:
    """Return an exception's message on one line, to record it; a plug-in's `__str__` may fail."""
    try:
        return concealed(first_line(error))[:_MESSAGE]
    except Exception:
        return "(its message cannot be read)"
