"""One worker process, as its parent sees it."""

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from runner.execution.backend import Finished, WorkerDied, WorkerNotStarted
from runner.execution.conversation import Conversation
from runner.execution.private_log import private_log
from runner.execution.worker_config import WorkerConfig
from stressweb.core.environment import environment
from stressweb.core.process_tree import Member, end, family
from stressweb.core.tracebacks import scrubbed
from stressweb.log.recording import Cell
from stressweb.plugins.agent import Usage

_DUMP_SECONDS = 5.0
"""Seconds that a worker has to write its threads' stacks into the log."""
_START = "start"
"""The conversation with a worker that has no cell yet; no key of a cell is like it."""
_LAST_WORDS = 20_000
"""Bytes of the log that are stored with the episode whose worker died."""


class WorkerProcess:
    """One worker process, as its parent sees it. Several threads may each have a cell run in it."""

    def __init__(self, config: WorkerConfig, log: Path, prefix: Sequence[str] = ()) -> None:
        """Start it; what it prints goes to `log`.

        `prefix` is a command that starts it and takes its place, such as `nice -n 10`.
        """
        with private_log(log) as errors:
            process = subprocess.Popen(
                [*prefix, sys.executable, "-P", "-m", "runner.execution.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
                # A Ctrl-C at the terminal is for the parent alone, which then ends its workers.
                start_new_session=True,
                env=environment(config.base_url, config.replay_llm),
            )
        self._attend(process, log)
        self._send(config.model_dump_json())

    def _attend(self, process: "subprocess.Popen[str]", log: Path) -> None:
        """Listen to a process that has started."""
        self._process, self._log = process, log
        self._silent = self._ended = self.spent = False
        self._family: set[Member] = set()
        self._turn = threading.Lock()
        self._conversations = {_START: Conversation(self)}
        threading.Thread(target=self._listen, daemon=True).start()

    def await_ready(self) -> None:
        """Wait until it takes cells; raises WorkerDied, or UserError or DiskFullError with what it says is wrong."""
        self._conversations[_START].confirmed()

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

    def _begin(self, key: str) -> Conversation:
        conversation = Conversation(self)
        with self._turn:
            self._conversations[key] = conversation
            if self._ended:
                conversation.hear(None)
        return conversation

    def _have_begun(self, cell: Cell, conversation: Conversation) -> None:
        """Give the worker a cell; raises WorkerNotStarted unless it confirms that it begins."""
        try:
            self._send(json.dumps({"cell": cell.model_dump()}))
            conversation.confirmed()
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
            return scrubbed(log.read().decode(errors="replace"))
        return ""
