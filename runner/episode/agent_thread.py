"""An agent's calls in a thread of its own: what it raises is its own failure, and one that hangs can be left behind.

An agent whose methods are coroutines has an event loop of its own in that thread: if it blocks the loop, no other
episode waits for it.
"""

import asyncio
import contextlib
import inspect
import math
import queue
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any, Self

from pydantic import TypeAdapter

from stressweb.core.errors import EndpointError, UserError, first_line
from stressweb.core.tracebacks import concealed, trace_at, trace_of
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation, Usage
from stressweb.sources import wanted

_NAME = "stressweb-agent"
_JOIN = 1.0
"""Seconds that a thread has to end once it has nothing left to do."""
_POLL = 0.005
"""Seconds between two looks whether it has ended."""
_MESSAGE = 500
"""Characters of an exception's message that are kept beside its traceback."""
_USAGE = TypeAdapter(Usage)
_ASYNCIO = str(Path(asyncio.__file__).parent)
_LEFT_BEHIND: list[threading.Thread] = []
"""Threads whose episodes are over and that did not end: nothing can end a thread from outside."""


class AgentError(Exception):
    """The agent failed: it raised an exception, returned something that is not an action, or exceeded its time."""

    def __init__(self, message: str, traceback: str = "") -> None:
        """Take one line, and the traceback as it is kept."""
        super().__init__(message)
        self.traceback = traceback


class Heartbeat:
    """Receives the progress of an episode; this base class ignores it."""

    def working(self) -> None:
        """Take note that the episode makes progress while the agent is not deciding."""

    def deciding(self, seconds: float) -> None:
        """Take note that the agent begins to decide, for at most so many seconds."""

    def decided(self) -> None:
        """Take note that the agent has decided."""


class AgentThread:
    """One agent for one episode. Use as an asynchronous context manager.

    After it, `left_behind` says whether the thread hangs.
    """

    def __init__(self, agent: Agent | Callable[[], Agent], seconds: float | None, watch: Heartbeat) -> None:
        """Take an agent, or what makes one, and the seconds that the episode has from now on (None: no limit)."""
        self._given, self._seconds, self._watch = agent, seconds, watch
        self._until = None if seconds is None else time.monotonic() + seconds
        self._agent: Agent | None = None
        self._last_usage: Any = None
        """What the agent said that its last finished decision cost."""
        self._patience = Agent.decision_seconds
        self._calls: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._answer: asyncio.Future[tuple[Any, BaseException | None]]
        """What becomes of the call under way."""
        # A daemon: nothing can end a thread from outside, and the process must not wait for one that hangs.
        self._thread = threading.Thread(target=self._work, name=_NAME, daemon=True)
        self._runner: asyncio.Runner | None = None
        """Runs the coroutines of the agent, in the thread."""
        self._task: asyncio.Task[Any] | None = None
        """The coroutine under way."""

    async def __aenter__(self) -> Self:
        """Start the thread."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let the thread end; one that is still busy is left behind."""
        self._calls.put(None)
        deadline = time.monotonic() + _JOIN
        while self._thread.is_alive() and time.monotonic() < deadline:
            await asyncio.sleep(_POLL)
        if self._thread.is_alive():
            _LEFT_BEHIND.append(self._thread)

    async def start(self, brief: Brief) -> frozenset[str]:
        """Make the agent if need be, give it its brief, and return what it wants to observe.

        Raises AgentError, or EndpointError if the endpoint that it asks fails.
        """
        self._patience, wants = await self._ask(lambda: self._begin(brief))
        return frozenset(wants)

    async def act(self, observation: Observation) -> tuple[Action, Usage]:
        """Return the agent's next action and what the decision cost; raises as `start` does."""
        action, usage = await self._ask(lambda: self._decide(observation))
        return action, usage

    def unfinished(self) -> Usage:
        """Return what the decision has cost that failed; nothing if the agent does not say."""
        try:
            # Code of the agent's, and what it returns may be anything.
            usage = None if self._agent is None else self._agent.usage
            # An agent that sets it only once it has decided still shows what the decision before cost.
            if not isinstance(usage, Usage) or usage is self._last_usage:
                return Usage()
            return _USAGE.validate_python(asdict(usage))
        except Exception:
            return Usage()

    @contextlib.contextmanager
    def charged(self, seconds: float) -> Iterator[None]:
        """Count the time of the body, at most so many seconds, as the agent's: code runs that it has asked for."""
        self._watch.deciding(seconds)
        try:
            yield
        finally:
            self._watch.decided()

    async def _ask(self, call: Callable[[], Any]) -> Any:
        left = self._patience if self._until is None else self._until - time.monotonic()
        # The last action may have used up the time: then the agent is not asked again.
        if left <= 0:
            raise AgentError(self._overdue())
        self._watch.deciding(left)
        self._answer = self._loop.create_future()
        self._calls.put(call)
        try:
            await asyncio.wait({self._answer}, timeout=left)
            # What came in time, while the loop was busy with something else, is in time.
            await asyncio.sleep(0)
            if not self._answer.done():
                raise self._abandoned()
            answer, error = self._answer.result()
        finally:
            self._watch.decided()
        # The only exception of an agent that is not its own failure.
        if isinstance(error, EndpointError):
            raise error
        if error is not None:
            raise AgentError(_said(error), trace_of(error))
        return answer

    def _abandoned(self) -> Exception:
        """Leave the thread behind; return whose failure that is."""
        # A coroutine can be ended; code that holds the thread cannot.
        frame = self._waiting_at() or sys._current_frames().get(self._thread.ident or 0)
        # The time passed, but not by the agent's doing: it was waiting for an endpoint that is down.
        if outage := _outage(self._agent):
            return EndpointError(f"{outage}; the time limit passed while the agent waited for its endpoint")
        # Where it hangs is all that can be recorded of it.
        return AgentError(self._overdue(), "" if frame is None else trace_at(frame))

    def _waiting_at(self) -> FrameType | None:
        """Cancel the coroutine that the agent waits in, and return where that is; None if it does not wait."""
        task, loop = self._task, self._runner and self._runner.get_loop()
        if task is None or loop is None:
            return None
        frame = None if asyncio.current_task(loop) else _innermost(task.get_coro())
        # A loop that is blocked never gets to this, and the thread is left behind.
        loop.call_soon_threadsafe(task.cancel)
        return frame

    def _overdue(self) -> str:
        if self._seconds is None:
            return f"the agent took more than its {self._patience:g} seconds for one decision"
        return f"the agent exceeded the time limit of {self._seconds:g} seconds"

    def _work(self) -> None:
        """Answer calls until there are no more: in the thread."""
        while (call := self._calls.get()) is not None:
            answer: tuple[Any, BaseException | None]
            try:
                answer = (call(), None)
            # An agent that calls sys.exit ends its episode, not the worker.
            except BaseException as error:
                answer = (None, error)
            # The worker may have ended while an agent hangs, and its loop with it.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._answered, answer)
        if self._runner is not None:
            self._runner.close()

    def _answered(self, answer: tuple[Any, BaseException | None]) -> None:
        # Nobody waits for an answer that comes too late.
        if not self._answer.done():
            self._answer.set_result(answer)

    def _result(self, value: Any) -> Any:
        """Return what a method of the agent gave; a coroutine is run to its end."""
        if not inspect.isawaitable(value):
            return value
        self._runner = self._runner or asyncio.Runner()
        try:
            return self._runner.run(self._awaited(value))
        finally:
            self._task = None

    async def _awaited(self, value: Awaitable[Any]) -> Any:
        self._task = asyncio.current_task()
        return await value

    def _begin(self, brief: Brief) -> tuple[float, frozenset[str]]:
        # Made in the thread, so that a constructor that raises or hangs is the agent's failure, too.
        agent = self._given if isinstance(self._given, Agent) else self._given()
        if not isinstance(agent, Agent):
            raise _Wrong(f"the agent is {_kind(agent)}, not an Agent")
        self._agent = agent
        self._result(agent.start(brief))
        # Typed, but written by others.
        seconds: Any = agent.decision_seconds
        try:
            # `wants` may have changed since the run was planned.
            wants = wanted(agent.wants)
        except UserError as error:
            raise _Wrong(str(error)) from error
        if not (isinstance(seconds, int | float) and math.isfinite(seconds) and seconds > 0):
            raise _Wrong(f"decision_seconds is {seconds!r}, not a number above 0")
        return float(seconds), wants

    def _decide(self, observation: Observation) -> tuple[Action, Usage]:
        assert self._agent is not None
        action = self._result(self._agent.act(observation))
        if not isinstance(action, Action):
            raise _Wrong(f"act returned {_kind(action)}, not an Action")
        # An agent can build an action without validation; it must fail here, as the agent's, and not later in our code.
        checked = Action.model_validate(_explicit_fields(action))
        # What cannot be written down would fail when the episode is stored, as an error of ours.
        checked.model_dump_json()
        usage = self._last_usage = self._agent.usage
        if not isinstance(usage, Usage):
            raise _Wrong(f"usage is {_kind(usage)}, not a Usage")
        return checked, _USAGE.validate_python(asdict(usage))


class _Wrong(Exception):  # noqa: N818 - its message stands for itself, without the name of the class
    """The agent gave something of the wrong kind."""


def _innermost(coroutine: Any) -> FrameType | None:
    """Return where a coroutine waits: in the innermost of those that it awaits, but for asyncio's own."""
    frame = None
    while inspect.iscoroutine(coroutine) and coroutine.cr_frame is not None:
        if frame is not None and coroutine.cr_code.co_filename.startswith(_ASYNCIO):
            break
        frame, coroutine = coroutine.cr_frame, coroutine.cr_await
    return frame


def _explicit_fields(action: Action) -> dict[str, Any]:
    """Return the fields that an agent set in an action: a history must not show defaults that it did not write."""
    values = {name: getattr(action, name) for name in Action.model_fields}
    set_fields = action.model_fields_set
    # An agent that skips validation can set a field without saying so.
    return {
        name: value
        for name, value in values.items()
        if name in set_fields or value != Action.model_fields[name].default
    }


def left_behind() -> bool:
    """Return whether an agent of this process still hangs: the process should then serve no further episode."""
    return any(thread.is_alive() for thread in _LEFT_BEHIND)


def _said(error: BaseException) -> str:
    """Return an agent's exception in one line, as it is kept."""
    try:
        text = first_line(error)
    except Exception:
        # A message is made by code of the agent's.
        text = "(its message cannot be read)"
    name = "" if isinstance(error, _Wrong) else f"{type(error).__name__}: "
    return concealed(f"{name}{text}")[:_MESSAGE]


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _outage(agent: Agent | None) -> str:
    try:
        # A property of the agent's: what it raises must not hide that the time is over.
        return "" if agent is None else str(agent.outage)
    except Exception:
        return ""
