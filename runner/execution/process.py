"""One worker process, as its parent sees it."""

import contextlib
import errno
import json
import os
import queue
import signal
import stat
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from runner.execution.process_tree import Member, end, family
from runner.execution.worker_config import WorkerConfig
from runner.plan.environment import environment
from stressweb.core.errors import DiskFullError, UserError
from stressweb.core.tracebacks import kept
from stressweb.log.recording import Cell
from stressweb.log.run_file import PRIVATE_FILE
from stressweb.plugins.agent import Usage

SILENCE_S = 60.0
"""Seconds without heartbeat, while the agent is not deciding, after which a worker is killed as hung. Every operation
of the browser has a shorter time limit."""
GRACE_S = 60.0
"""Seconds that a worker has to report that its agent's time is over. If it does not, it cannot: an agent that holds the
interpreter's lock, for instance in a regular expression, blocks every thread of its process."""
_DUMP_SECONDS = 5.0
"""Seconds that a worker has to write its threads' stacks into the log."""
_LAST_WORDS = 20_000
"""Bytes of the log that are stored with the episode whose worker died."""


@dataclass(frozen=True)
class Finished:
    """A cell that has its episode."""

    cell: Cell
    status: str
    message: str = ""
    success: bool = False
    """Whether it was graded a success."""
    usage: Usage = field(default_factory=Usage)
    """What all decisions of its agent cost together."""
    ends_run: bool = False
    """Whether its message says why no further episode can do better."""


class WorkerDied(Exception):  # noqa: N818 - an event that is dealt with, no error to show
    """A worker ended, or had to be ended, before it answered."""

    status: int | None = None
    """Its exit status, negative for a signal; None if it was silent too long and had to be ended."""
    last_words = ""
    """What it wrote to its log since it was given the cell."""


class AgentHung(WorkerDied):
    """A worker ended in its agent's turn, and by the agent's doing: it hangs, or it ended the process."""


class WorkerNotStarted(WorkerDied):
    """A worker ended before it began the cell that it was given: the cell is as good as new."""


class WorkerLost(WorkerDied):
    """A worker's machine is gone, and what it did with it: the cell may have begun, and can run on another machine."""


class Process:
    """One worker process, as its parent sees it. Several threads may each have a cell run in it."""

    def __init__(self, config: WorkerConfig, log: Path) -> None:
        """Start it; what it prints goes to `log`."""
        with private_log(log) as errors:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "runner.execution.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
                # A Ctrl-C at the terminal is for the parent alone, which then ends its workers.
                start_new_session=True,
                env=environment(config.base_url),
            )
        self._attend(process, log)
        self._send(config.model_dump_json())

    def _attend(self, process: "subprocess.Popen[str]", log: Path) -> None:
        """Listen to a process that has started."""
        self._process, self._log = process, log
        self._silent = self._ended = self.spent = False
        self._family: set[Member] = set()
        self._turn = threading.Lock()
        self._conversations = {_START: _Conversation(self)}
        threading.Thread(target=self._listen, daemon=True).start()

    def await_ready(self) -> None:
        """Wait until it takes cells; raises WorkerDied, or UserError or DiskFullError with what it says is wrong."""
        self._conversations[_START].answer(SILENCE_S)

    def run(self, cell: Cell) -> Finished:
        """Have a cell run; raises WorkerNotStarted if it was not begun, WorkerDied if it was."""
        # The log grows over all cells of a worker; only what comes from now on is kept with this one's episode.
        log_size = self._log.stat().st_size if self._log.exists() else 0
        conversation = self._begin(cell.key)
        try:
            self._have_begun(cell, conversation)
            answer = conversation.episode()
        except WorkerDied as gone:
            gone.last_words = self._words_since(log_size)
            raise
        finally:
            self._conversations.pop(cell.key)
        self.spent |= bool(answer.get("spent"))
        used = answer.get("usage")
        success = answer.get("success") is True
        return Finished(
            cell,
            str(answer["status"]),
            str(answer["message"]),
            success,
            Usage(**used) if isinstance(used, dict) else Usage(),
            answer.get("ends_run") is True,
        )

    def end(self) -> None:
        """Let it close its browser and end by itself."""
        # It may be dead already, which is just as well.
        with contextlib.suppress(WorkerDied):
            self._send('{"end": true}')
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self.kill()

    def kill(self) -> None:
        """End it at once, and every process that it started: one that is stopped would stay."""
        self._family |= family(self._process.pid)
        # The worker first, so that it starts nothing new while the rest is being ended.
        self._process.kill()
        self._process.wait()
        end(self._family)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def gone(self) -> WorkerDied:
        """Return how the process ended, as an exception; waits for its end."""
        gone = WorkerDied(f"the worker process died (exit status {self._process.wait()})")
        gone.status = None if self._silent else self._process.returncode
        return gone

    def break_off(self) -> None:
        """End a worker that is silent; it writes the stacks of its threads into its log first."""
        with self._turn:
            if self._silent:
                return
            # Set before the signal: whoever reads the pipe must know why it ended.
            self._silent = True
        # The worker's faulthandler answers this signal with the stacks of all threads, also where Python itself hangs.
        self._process.send_signal(signal.SIGABRT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_DUMP_SECONDS)
        self._process.kill()

    def _begin(self, key: str) -> "_Conversation":
        conversation = _Conversation(self)
        with self._turn:
            self._conversations[key] = conversation
            if self._ended:
                conversation.hear(None)
        return conversation

    def _have_begun(self, cell: Cell, conversation: "_Conversation") -> None:
        """Give the worker a cell; raises WorkerNotStarted unless it confirms that it begins."""
        try:
            self._send(json.dumps({"cell": cell.model_dump()}))
            conversation.answer(SILENCE_S)
            # Remembered early: a process whose parent dies gets another one, and is then not found below the worker any
            # more.
            self._family |= family(self._process.pid)
        except WorkerDied as error:
            # Without a confirmation another worker can run the cell as if nothing had happened.
            raise WorkerNotStarted(*error.args) from None

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            with self._turn:
                self._process.stdin.write(line + "\n")
                self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise WorkerDied("the worker process no longer reads its input") from error

    def _listen(self) -> None:
        """Pass each message to whom it is about, until there are no more; then everybody hears of that."""
        assert self._process.stdout is not None
        # Another thread closes the pipe under the read, as the pool does after Ctrl-C.
        with contextlib.suppress(ValueError, OSError):
            for line in self._process.stdout:
                message: dict[str, object] = json.loads(line)
                # What is about no cell is about the whole process.
                about = [str(message["about"])] if "about" in message else [*self._conversations]
                for key in about:
                    if conversation := self._conversations.get(key):
                        conversation.hear(message)
        with self._turn:
            self._ended = True
            # A copy: a thread that hears of the end takes its conversation out.
            for conversation in [*self._conversations.values()]:
                conversation.hear(None)

    def _words_since(self, log_size: int) -> str:
        """Return what the worker wrote to its log since it had so many bytes."""
        with contextlib.suppress(OSError), self._log.open("rb") as log:
            log.seek(max(log_size, self._log.stat().st_size - _LAST_WORDS))
            # An agent may have printed a key.
            return kept(log.read().decode(errors="replace"))
        return ""


_START = "start"
"""The conversation with a worker that has no cell yet; no key of a cell is like it."""


class _Conversation:
    """What a worker says about one cell."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._messages: queue.SimpleQueue[dict[str, object] | None] = queue.SimpleQueue()

    def hear(self, message: dict[str, object] | None) -> None:
        """Take a message; None: there will be no more."""
        self._messages.put(message)

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


def private_log(path: Path) -> BinaryIO:
    """Open a log to append to, for its owner alone; raises UserError for a link or anything else that is no plain file.

    The folder may be a stranger's: what is written must not end up where a link in it leads.
    """
    try:
        # Without O_NONBLOCK a named pipe would wait for a reader.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(path, flags, PRIVATE_FILE)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise UserError(f"log {path} is a link or not a regular file; remove it") from None
        raise
    found = os.fstat(handle)
    # O_NOFOLLOW does not see a hard link, under which the file could be one of the user's own.
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        os.close(handle)
        raise UserError(f"log {path} is a link or not a regular file; remove it")
    # The log of an earlier try may be there with other rights.
    os.fchmod(handle, PRIVATE_FILE)
    os.set_blocking(handle, True)
    return os.fdopen(handle, "ab")


def _raise_failed(answer: dict[str, object]) -> None:
    # A failure of our own is like a death, which may be tried again. The user's mistake would be the same the next
    # time.
    if "failed" in answer and answer.get("ours"):
        raise WorkerDied(str(answer["failed"]))
    if "failed" in answer:
        raise (DiskFullError if answer.get("disk") else UserError)(str(answer["failed"]))
