"""The parent's handle of one worker process."""

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from stressweb.core.environment import environment
from stressweb.core.process_tree import Member, descendants_of, end
from stressweb.core.tracebacks import scrubbed
from stressweb.log.recording import Cell
from stressweb.plugins.agent import Usage
from stressweb.runner.execution.backend import Finished, WorkerDied, WorkerNotStarted
from stressweb.runner.execution.conversation import USUAL, Conversation, Patience
from stressweb.runner.execution.forking import ForkedProcess
from stressweb.runner.execution.private_log import private_log
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.registry import Library

_DUMP_SECONDS = 5.0
"""Seconds that a worker may take to write the stacks of its threads to the log."""
_START = "start"
"""Key of the conversation with a worker that has no cell yet; no cell has this key."""
_LAST_WORDS = 20_000
"""Bytes of the log that are stored with an episode whose worker died."""


class WorkerProcess:
    """The parent's handle of one worker process. Several threads may each run a cell in it."""

    def __init__(
        self,
        config: WorkerConfig,
        log: Path,
        prefix: Sequence[str] = (),
        fork: ForkedProcess | None = None,
        patience: Patience = USUAL,
    ) -> None:
        """Start the process, or take a fork that has started; its output goes to `log`.

        `prefix` is a command that runs the process, such as `nice -n 10`; `patience` limits the worker's silence.
        """
        self._patience = patience
        self._attend(fork or self._started(config, log, prefix), log)
        self._send(config.model_dump_json())

    @staticmethod
    def _started(config: WorkerConfig, log: Path, prefix: Sequence[str]) -> "subprocess.Popen[str]":
        with private_log(log) as errors:
            return subprocess.Popen(
                [*prefix, sys.executable, "-P", "-m", "stressweb.runner.execution.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
                # Only the parent must get Ctrl-C; it then ends its workers.
                start_new_session=True,
                env=environment(config.base_url, config.replay_llm),
            )

    def _attend(self, process: "subprocess.Popen[str] | ForkedProcess", log: Path) -> None:
        """Start to read the messages of a running process."""
        self._process, self._log = process, log
        self._silent = self._ended = self.takes_no_more = False
        self._descendants: set[Member] = set()
        self._turn = threading.Lock()
        self._conversations = {_START: Conversation(self, self._patience)}
        threading.Thread(target=self._listen, daemon=True).start()

    def await_ready(self) -> None:
        """Wait until the worker accepts cells; raise WorkerDied, or the UserError or DiskFullError that it reports."""
        self._conversations[_START].await_confirmation()

    def run(self, cell: Cell) -> Finished:
        """Run a cell; raise WorkerNotStarted if the worker died before it began the cell, WorkerDied if later."""
        # All cells of a worker share its log; only the output from here on is stored with this cell's episode.
        log_size = self._log.stat().st_size if self._log.exists() else 0
        conversation = self._begin(cell.key)
        try:
            self._start_cell(cell, conversation)
            answer = conversation.episode()
        except WorkerDied as gone:
            gone.last_words = self._words_since(log_size)
            raise
        finally:
            self._conversations.pop(cell.key)
        self.takes_no_more |= bool(answer.get("takes_no_more"))
        used = answer.get("usage")
        success = answer.get("success", False)
        return Finished(
            cell,
            str(answer["status"]),
            str(answer["message"]),
            None if success is None else success is True,
            Usage(**used) if isinstance(used, dict) else Usage(),
            answer.get("ends_run") is True,
        )

    def end(self) -> None:
        """Let the worker close its browser and exit."""
        # The worker may already be dead.
        with contextlib.suppress(WorkerDied):
            self._send('{"end": true}')
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self.kill()

    def kill(self) -> None:
        """Kill the worker and every process that it started, including stopped ones."""
        self._descendants |= descendants_of(self._process.pid)
        # Kill the worker first, so that it cannot start new processes meanwhile.
        self._process.kill()
        self._process.wait()
        end(self._descendants)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def gone(self) -> WorkerDied:
        """Wait for the process to end; return how it ended, as an exception."""
        gone = WorkerDied(f"the worker process died (exit status {self._process.wait()})")
        gone.status = None if self._silent else self._process.returncode
        return gone

    def break_off(self) -> None:
        """Kill a worker that sends no heartbeat, after it has written the stacks of its threads to its log."""
        with self._turn:
            if self._silent:
                return
            # Set this before the signal, so that the reader of the pipe knows why the process ended.
            self._silent = True
        # The worker's faulthandler writes the stacks of all threads on this signal, even if Python itself hangs.
        self._process.send_signal(signal.SIGABRT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_DUMP_SECONDS)
        self._process.kill()

    def _begin(self, key: str) -> Conversation:
        conversation = Conversation(self, self._patience)
        with self._turn:
            self._conversations[key] = conversation
            if self._ended:
                conversation.hear(None)
        return conversation

    def _start_cell(self, cell: Cell, conversation: Conversation) -> None:
        """Send the worker a cell; raise WorkerNotStarted unless the worker confirms that it begins."""
        try:
            self._send(json.dumps({"cell": cell.model_dump()}))
            conversation.await_confirmation()
            # Record the child processes now: a process whose parent dies gets another parent, and could no longer be
            # found as a descendant of the worker.
            self._descendants |= descendants_of(self._process.pid)
        except WorkerDied as error:
            # Without a confirmation, the cell has not begun, and another worker can run it.
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
        """Pass each message to its conversation; at the end, notify all conversations."""
        assert self._process.stdout is not None
        # Another thread may close the pipe during the read, as the scheduler does after Ctrl-C.
        with contextlib.suppress(ValueError, OSError):
            for line in self._process.stdout:
                message: dict[str, object] = json.loads(line)
                # A message without a cell is about the whole process.
                about = [str(message["about"])] if "about" in message else [*self._conversations]
                for key in about:
                    if conversation := self._conversations.get(key):
                        conversation.hear(message)
        with self._turn:
            self._ended = True
            # Iterate over a copy, because each notified thread removes its conversation.
            for conversation in [*self._conversations.values()]:
                conversation.hear(None)

    def _words_since(self, log_size: int) -> str:
        """Return the worker's log output after the first `log_size` bytes."""
        with contextlib.suppress(OSError), self._log.open("rb") as log:
            log.seek(max(log_size, self._log.stat().st_size - _LAST_WORDS))
            # An agent may have printed a key.
            return scrubbed(log.read().decode(errors="replace"))
        return ""


def forked(config: WorkerConfig, logs: Sequence[Path], library: Library) -> list[WorkerProcess]:
    """Fork one worker for each log; the workers inherit the worlds that `library` has drawn."""

    def work() -> int:
        from stressweb.runner.execution.worker import main  # noqa: PLC0415 - slow to import, and only workers need it

        return main(library)

    # Fork all of them before the first gets a thread that reads its messages. Opening a log can fail, so do it first.
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(private_log(log)) for log in logs]
        forks = [ForkedProcess(work, file, environment(config.base_url, config.replay_llm)) for file in files]
    return [WorkerProcess(config, log, fork=fork) for log, fork in zip(logs, forks, strict=True)]
