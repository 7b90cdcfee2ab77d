"""What a worker process says about one cell, and how long its parent waits for that."""

import queue
from typing import Protocol

from runner.execution.backend import AgentHung, WorkerDied
from stressweb.core.errors import DiskFullError, UserError

SILENCE_S = 60.0
"""Seconds without heartbeat, while the agent is not deciding, after which a worker is killed as hung. Every operation
of the browser has a shorter time limit."""
GRACE_S = 60.0
"""Seconds that a worker has to report that its agent's time is over. If it does not, it cannot: an agent that holds the
interpreter's lock, for instance in a regular expression, blocks every thread of its process."""


class Speaker(Protocol):
    """The process that is listened to."""

    def break_off(self) -> None:
        """End it, since it is silent."""

    def gone(self) -> WorkerDied:
        """Return how it ended, as an exception; waits for its end."""


class Conversation:
    """What a worker says about one cell."""

    def __init__(self, process: Speaker) -> None:
        """Take who speaks."""
        self._process = process
        self._messages: queue.SimpleQueue[dict[str, object] | None] = queue.SimpleQueue()

    def hear(self, message: dict[str, object] | None) -> None:
        """Take a message; None: there will be no more."""
        self._messages.put(message)

    def confirmed(self) -> None:
        """Wait until the worker confirms what it was asked; raises as `answer` does."""
        self.answer(SILENCE_S)

    def answer(self, patience: float) -> dict[str, object]:
        """Return the next message, for which a worker has so many seconds before it is ended as hung.

        Raises WorkerDied, or UserError or DiskFullError with what the worker says is wrong.
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
        """Return what comes of a cell; raises WorkerDied, and AgentHung if the agent is the reason."""
        turn: float | None = None
        while True:
            try:
                answer = self.answer(SILENCE_S if turn is None else turn + GRACE_S)
            except WorkerDied as gone:
                # Outside of the agent's turn only browser, driver or proxy can be what hangs: never the agent's
                # failure.
                if turn is None and gone.status is None:
                    raise WorkerDied(
                        f"the worker process sent no heartbeat for {SILENCE_S:g} s: it, its browser or its driver hangs"
                    ) from None
                # A signal comes from outside, as when the kernel runs out of memory: that is no doing of the agent
                # either.
                if turn is None or (gone.status is not None and gone.status < 0):
                    raise
                hung = f"the agent exceeded its {turn:g} seconds and blocked its process"
                ended = f"the agent ended its process (exit status {gone.status})"
                raise AgentHung(hung if gone.status is None else ended) from None
            # Only the agent's turn has a limit of its own; every other message gives the usual time again.
            if "deciding" in answer:
                turn = float(str(answer["deciding"]))
            elif "decided" in answer:
                turn = None
            elif "working" not in answer:
                return answer


def _raise_failed(answer: dict[str, object]) -> None:
    # A failure of our own is like a death, which may be tried again. The user's mistake would be the same the next
    # time.
    if "failed" in answer and answer.get("ours"):
        raise WorkerDied(str(answer["failed"]))
    if "failed" in answer:
        raise (DiskFullError if answer.get("disk") else UserError)(str(answer["failed"]))
