"""A worker's messages to its parent about one cell, and how long the parent waits for them."""

import queue
from typing import NamedTuple, Protocol

from stressweb.core.errors import DiskFullError, UserError
from stressweb.runner.execution.backend import AgentHung, WorkerDied

SILENCE_S = 60.0
"""Seconds without heartbeat, while the agent is not deciding, after which a worker is killed as hung. Every operation
of the browser has a shorter time limit."""


class Patience(NamedTuple):
    """How long the parent of a worker waits for a message, in seconds."""

    silence_s: float = SILENCE_S
    grace_s: float = 60.0
    """Time that a worker may take to report that its agent exceeded the time limit. An agent that holds the interpreter
    lock, for example in a regular expression, blocks all threads of its process, so the worker cannot report it."""


USUAL = Patience()


class Speaker(Protocol):
    """The worker process that sends the messages."""

    def break_off(self) -> None:
        """Kill the process because it sends no heartbeat."""

    def gone(self) -> WorkerDied:
        """Wait for the process to end; return how it ended, as an exception."""


class Conversation:
    """A worker's messages about one cell."""

    def __init__(self, process: Speaker, patience: Patience = USUAL) -> None:
        """Take the worker process, and how long to wait for its messages."""
        self._process, self._patience = process, patience
        self._messages: queue.SimpleQueue[dict[str, object] | None] = queue.SimpleQueue()

    def hear(self, message: dict[str, object] | None) -> None:
        """Queue a message; None means that there will be no more."""
        self._messages.put(message)

    def await_confirmation(self) -> None:
        """Wait until the worker confirms the request; raise the same errors as `answer`."""
        self.answer(self._patience.silence_s)

    def answer(self, patience: float) -> dict[str, object]:
        """Return the next message; kill the worker as hung if none comes within `patience` seconds.

        Raises WorkerDied, or the UserError or DiskFullError that the worker reports.
        """
        try:
            message = self._messages.get(timeout=patience)
        except queue.Empty:
            self._process.break_off()
            message = None
        if message is None:
            raise self._process.gone()
        _raise_failed(message)
        return message

    def episode(self) -> dict[str, object]:
        """Return the final message about the cell; raise WorkerDied, or AgentHung if the agent is to blame."""
        silence_s, grace_s = self._patience
        turn: float | None = None
        while True:
            try:
                answer = self.answer(silence_s if turn is None else turn + grace_s)
            except WorkerDied as gone:
                # Outside the agent's turn, only the browser, driver or proxy can hang: never the agent's failure.
                if turn is None and gone.status is None:
                    raise WorkerDied(
                        f"the worker process sent no heartbeat for {silence_s:g} s: it, its browser or its driver hangs"
                    ) from None
                # A signal comes from outside, for example when the machine runs out of memory: not the agent's failure
                # either.
                if turn is None or (gone.status is not None and gone.status < 0):
                    raise
                hung = f"the agent exceeded its {turn:g} seconds and blocked its process"
                ended = f"the agent ended its process (exit status {gone.status})"
                raise AgentHung(hung if gone.status is None else ended) from None
            # Only the agent's turn has its own limit; every other message restarts the usual one.
            if "deciding" in answer:
                turn = float(str(answer["deciding"]))
            elif "decided" in answer:
                turn = None
            elif "working" not in answer:
                return answer


def _raise_failed(answer: dict[str, object]) -> None:
    # Treat an internal failure like the worker's death, which may be retried. A user's mistake would only recur.
    if "failed" in answer and answer.get("ours"):
        raise WorkerDied(str(answer["failed"]))
    if "failed" in answer:
        raise (DiskFullError if answer.get("disk") else UserError)(str(answer["failed"]))
