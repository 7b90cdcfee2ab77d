"""Runs an agent in its own thread, so that its exceptions are its own failures and a hanging agent can be abandoned.

An agent with coroutine methods gets its own event loop in that thread, so it cannot block other episodes.
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
"""Seconds that an idle thread may take to end."""
_POLL = 0.005
"""Seconds between two checks whether the thread has ended."""
_MESSAGE = 500
"""Characters of an exception's message that are kept besides its traceback."""
_USAGE = TypeAdapter(Usage)
_ASYNCIO = str(Path(asyncio.__file__).parent)
_LEFT_BEHIND: list[threading.Thread] = []
"""Threads that did not end with their episodes; Python cannot stop a thread from outside."""


class AgentError(Exception):
    """The agent failed: it raised an exception, returned something that is not an action, or exceeded its time."""

    def __init__(self, message: str, traceback: str = "") -> None:
        """Take a one-line message and the traceback to record."""
        super().__init__(message)
        self.traceback = traceback


class Heartbeat:
    """Receives the progress of an episode; this base class ignores it."""

    def working(self) -> None:
        """Called when the episode makes progress while the agent is not deciding."""

    def deciding(self, seconds: float) -> None:
        """Called when the agent starts a decision, which may take at most this many seconds."""

    def decided(self) -> None:
        """Called when the agent has decided."""


class AgentThread:
    """One agent for one episode. Use it as an asynchronous context manager.

    Call `left_behind()` afterwards to find out whether its thread hangs.
    """

    def __init__(self, agent: Agent | Callable[[], Agent], seconds: float | None, watch: Heartbeat) -> None:
        """Take an agent or a factory, and the time limit of the episode in seconds from now (None: no limit)."""
        self._given, self._seconds, self._watch = agent, seconds, watch
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._agent: Agent | None = None
        self._last_usage: Any = None
        """The agent's usage after its last finished decision."""
        self._patience = Agent.decision_seconds
        self._calls: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._answer: asyncio.Future[tuple[Any, BaseException | None]]
        """Result or exception of the current call."""
        # A daemon thread, because the process must not wait for one that hangs.
        self._thread = threading.Thread(target=self._work, name=_NAME, daemon=True)
        self._runner: asyncio.Runner | None = None
        """Runs the agent's coroutines in the thread."""
        self._task: asyncio.Task[Any] | None = None
        """The agent's current coroutine."""

    async def __aenter__(self) -> Self:
        """Start the thread."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Let the thread end; abandon it if it is still busy."""
        self._calls.put(None)
        deadline = time.monotonic() + _JOIN
        while self._thread.is_alive() and time.monotonic() < deadline:
            await asyncio.sleep(_POLL)
        if self._thread.is_alive():
            _LEFT_BEHIND.append(self._thread)

    async def start(self, brief: Brief) -> frozenset[str]:
        """Create the agent if necessary, start it with its brief, and return what it wants to observe.

        Raises AgentError, or EndpointError if the agent's model endpoint fails.
        """
        self._patience, wants = await self._ask(lambda: self._begin(brief))
        return frozenset(wants)

    async def act(self, observation: Observation) -> tuple[Action, Usage]:
        """Return the agent's next action and the usage of the decision; raise the same errors as `start`."""
        action, usage = await self._ask(lambda: self._decide(observation))
        return action, usage

    def unfinished(self) -> Usage:
        """Return the usage of a failed decision; an empty `Usage` if the agent does not report it."""
        try:
            # This runs the agent's code, which may return anything.
            usage = None if self._agent is None else self._agent.usage
            # An agent that sets `usage` only after a decision still reports the previous one.
            if not isinstance(usage, Usage) or usage is self._last_usage:
                return Usage()
            return _USAGE.validate_python(asdict(usage))
        except Exception:
            return Usage()

    @contextlib.contextmanager
    def charged(self, seconds: float) -> Iterator[None]:
        """Count the time of the context as the agent's, up to a number of seconds: it runs code for the agent."""
        self._watch.deciding(seconds)
        try:
            yield
        finally:
            self._watch.decided()

    async def _ask(self, call: Callable[[], Any]) -> Any:
        remaining_s = self._patience if self._deadline is None else self._deadline - time.monotonic()
        # The last action may have used up the time.
        if remaining_s <= 0:
            raise AgentError(self._overdue())
        self._watch.deciding(remaining_s)
        self._answer = self._loop.create_future()
        self._calls.put(call)
        try:
            await asyncio.wait({self._answer}, timeout=remaining_s)
            # Accept an answer that arrived in time while the loop was busy.
            await asyncio.sleep(0)
            if not self._answer.done():
                raise self._abandon()
            answer, error = self._answer.result()
        finally:
            self._watch.decided()
        # All other exceptions are the agent's own failure.
        if isinstance(error, EndpointError):
            raise error
        if error is not None:
            raise AgentError(_error_line(error), trace_of(error))
        return answer

    def _abandon(self) -> Exception:
        """Abandon the thread; return the error of the agent or of its endpoint."""
        # A coroutine can be cancelled; code that blocks the thread cannot.
        frame = self._waiting_at() or sys._current_frames().get(self._thread.ident or 0)
        # The agent is not to blame if it was waiting for an endpoint that is down.
        if outage := _outage(self._agent):
            return EndpointError(f"{outage}; the time limit passed while the agent waited for its endpoint")
        # Record where the agent hangs.
        return AgentError(self._overdue(), "" if frame is None else trace_at(frame))

    def _waiting_at(self) -> FrameType | None:
        """Cancel the agent's coroutine and return the frame in which it waits; None if it is not waiting."""
        task, loop = self._task, self._runner and self._runner.get_loop()
        if task is None or loop is None:
            return None
        frame = None if asyncio.current_task(loop) else _innermost(task.get_coro())
        # A blocked loop never runs this, and the thread is abandoned.
        loop.call_soon_threadsafe(task.cancel)
        return frame

    def _overdue(self) -> str:
        if self._seconds is None:
            return f"the agent took more than its {self._patience:g} seconds for one decision"
        return f"the agent exceeded the time limit of {self._seconds:g} seconds"

    def _work(self) -> None:
        """Process calls until there are no more. Runs in the thread."""
        while (call := self._calls.get()) is not None:
            answer: tuple[Any, BaseException | None]
            try:
                answer = (call(), None)
            # Catch SystemExit, too: an agent that calls sys.exit ends its episode, not the worker.
            except BaseException as error:
                answer = (None, error)
            # The worker's loop may have closed while the agent was hanging.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._set_answer, answer)
        if self._runner is not None:
            self._runner.close()

    def _set_answer(self, answer: tuple[Any, BaseException | None]) -> None:
        # Ignore an answer that comes too late.
        if not self._answer.done():
            self._answer.set_result(answer)

    def _result(self, value: Any) -> Any:
        """Return the result of an agent's method; run it first if it is a coroutine."""
        if not inspect.isawaitable(value):
            return value
        self._runner = self._runner or asyncio.Runner()
        try:
            return self._runner.run(self._await(value))
        finally:
            self._task = None

    async def _await(self, value: Awaitable[Any]) -> Any:
        self._task = asyncio.current_task()
        return await value

    def _begin(self, brief: Brief) -> tuple[float, frozenset[str]]:
        # Create the agent in this thread, so that a constructor that raises or hangs is also the agent's failure.
        agent = self._given if isinstance(self._given, Agent) else self._given()
        if not isinstance(agent, Agent):
            raise _Wrong(f"the agent is {_kind(agent)}, not an Agent")
        self._agent = agent
        self._result(agent.start(brief))
        # Agents are third-party code, so do not trust the annotation.
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
        # An agent can create an action without validation. Fail here, as its own failure, and not later in our code.
        checked = Action.model_validate(_explicit_fields(action))
        # An action that cannot be serialised would fail later, when the episode is stored.
        checked.model_dump_json()
        usage = self._last_usage = self._agent.usage
        if not isinstance(usage, Usage):
            raise _Wrong(f"usage is {_kind(usage)}, not a Usage")
        return checked, _USAGE.validate_python(asdict(usage))


class _Wrong(Exception):  # noqa: N818 - its message stands for itself, without the name of the class
    """The agent returned an object of the wrong type."""


def _innermost(coroutine: Any) -> FrameType | None:
    """Return the frame in which a coroutine waits: the innermost awaited coroutine that is not asyncio's own."""
    frame = None
    while inspect.iscoroutine(coroutine) and coroutine.cr_frame is not None:
        if frame is not None and coroutine.cr_code.co_filename.startswith(_ASYNCIO):
            break
        frame, coroutine = coroutine.cr_frame, coroutine.cr_await
    return frame


def _explicit_fields(action: Action) -> dict[str, Any]:
    """Return the fields that an agent set in an action; a history must not show defaults that it did not set."""
    values = {name: getattr(action, name) for name in Action.model_fields}
    set_fields = action.model_fields_set
    # `model_fields_set` may be incomplete if the agent skipped validation.
    return {
        name: value
        for name, value in values.items()
        if name in set_fields or value != Action.model_fields[name].default
    }


def left_behind() -> bool:
    """Return whether an agent of this process still hangs; the process should then run no further episodes."""
    return any(thread.is_alive() for thread in _LEFT_BEHIND)


def _error_line(error: BaseException) -> str:
    """Return an agent's exception as one line for the record."""
    try:
        text = first_line(error)
    except Exception:
        # The agent's own code builds the message and may raise.
        text = "(its message cannot be read)"
    name = "" if isinstance(error, _Wrong) else f"{type(error).__name__}: "
    return concealed(f"{name}{text}")[:_MESSAGE]


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _outage(agent: Agent | None) -> str:
    try:
        # A property of the agent: an exception here must not hide the timeout.
        return "" if agent is None else str(agent.outage)
    except Exception:
        return ""
