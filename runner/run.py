"""A whole run: cells are handed to worker processes one by one, and nothing that is finished is ever lost."""

import contextlib
import fcntl
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.worker import Orders
from stressweb.errors import InfrastructureError, UserError
from stressweb.recording import Cell, EpisodeRecord
from stressweb.store import FILE, Store

EPISODE_SECONDS = 900.0
"""Time after which a worker that says nothing is taken for hung and ended; it speaks after each decision."""
_START_SECONDS = 120.0
_FALSE_STARTS = 3


@dataclass(frozen=True)
class Finished:
    """A cell that has its episode."""

    cell: Cell
    status: str
    message: str = ""


class Gone(Exception):  # noqa: N818 - an event that is dealt with, no error to show
    """A worker ended, or had to be ended, before it answered."""


class Unready(Gone):
    """A worker ended before it began the cell that it was given: the cell is as good as new."""


class Process:
    """One worker process, as its parent sees it."""

    def __init__(self, orders: Orders, log: Path) -> None:
        """Start it; what it prints goes to `log`."""
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "runner.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                # A Ctrl-C at the terminal is for the parent alone, which then ends its workers.
                start_new_session=True,
                env=environment(orders.base_url),
            )
        self._send(orders.model_dump_json())

    def await_ready(self) -> None:
        """Wait until it takes cells; raises Gone, or UserError with what it says is wrong."""
        answer = self._answer(_START_SECONDS)
        if "failed" in answer:
            raise UserError(str(answer["failed"]))

    def run(self, cell: Cell) -> Finished:
        """Have a cell run; raises Unready if it was not begun, Gone if it was."""
        try:
            self._send(json.dumps({"cell": cell.model_dump()}))
            self._answer(_START_SECONDS)
        except Gone as error:
            raise Unready(*error.args) from None
        while "decided" in (answer := self._answer(EPISODE_SECONDS)):
            pass
        if "failed" in answer:
            raise UserError(str(answer["failed"]))
        return Finished(cell, str(answer["status"]), str(answer["message"]))

    def end(self) -> None:
        """Let it close its browser and end by itself."""
        with contextlib.suppress(Gone):
            self._send('{"end": true}')
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self.kill()

    def kill(self) -> None:
        """End it at once; its browser ends with it."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise Gone("the worker does not listen any more") from error

    def _answer(self, patience: float) -> dict[str, object]:
        assert self._process.stdout is not None
        watch = threading.Timer(patience, self._process.kill)
        watch.start()
        try:
            line = self._process.stdout.readline()
        except ValueError:
            line = ""
        finally:
            watch.cancel()
        if not line:
            raise Gone(f"the worker died (exit status {self._process.wait()})")
        answer: dict[str, object] = json.loads(line)
        return answer


class Pool:
    """Worker processes that share a list of cells; one that dies is replaced, and its cell becomes an error."""

    def __init__(self, orders: Orders, cells: Sequence[Cell], workers: int) -> None:
        """Prepare; nothing starts before `finished` is asked for its first result."""
        self._orders = orders
        self._folder = orders.database.parent
        self._waiting: queue.SimpleQueue[Cell] = queue.SimpleQueue()
        for cell in cells:
            self._waiting.put(cell)
        self._total = len(cells)
        self._results: queue.SimpleQueue[Finished | Exception] = queue.SimpleQueue()
        self._slots = max(1, min(workers, self._total))
        self._processes: dict[int, Process] = {}
        self._stopped = threading.Event()

    def finished(self) -> Generator[Finished]:
        """Yield every cell as it is finished. Closing the iterator, by an error or Ctrl-C, ends all workers."""
        threads = [threading.Thread(target=self._slot, args=(at,), daemon=True) for at in range(self._slots)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(self._total):
                yield self._result(threads)
        finally:
            self._stopped.set()
            if self._waiting.empty() and sys.exc_info()[0] is None:
                for thread in threads:
                    thread.join(30)
            for process in list(self._processes.values()):
                process.kill()

    def _result(self, threads: Sequence[threading.Thread]) -> Finished:
        while True:
            # In slices, so that Ctrl-C is heard while nothing comes.
            with contextlib.suppress(queue.Empty):
                result = self._results.get(timeout=0.5)
                if isinstance(result, Exception):
                    raise result
                return result
            if not any(thread.is_alive() for thread in threads) and self._results.empty():
                raise InfrastructureError("all workers ended before all cells were run")

    def _slot(self, at: int) -> None:
        try:
            while self._cells_left():
                self._serve(at)
        except Exception as error:
            self._results.put(error)

    def _serve(self, at: int) -> None:
        """Start a worker and give it cells until there are none, or it dies."""
        process = self._started(at)
        while self._cells_left():
            try:
                cell = self._waiting.get_nowait()
            except queue.Empty:
                break
            try:
                self._results.put(process.run(cell))
            except Unready:
                process.kill()
                self._waiting.put(cell)
                return
            except Gone as error:
                process.kill()
                if not self._stopped.is_set():
                    self._results.put(self._lost(cell, str(error)))
                return
        if self._stopped.is_set():
            process.kill()
        else:
            process.end()

    def _started(self, at: int) -> Process:
        log = self._folder / f"worker-{at}.log"
        for _ in range(_FALSE_STARTS):
            process = self._processes[at] = Process(self._orders, log)
            try:
                process.await_ready()
            except Gone:
                process.kill()
                if self._stopped.is_set():
                    break
            else:
                return process
        raise InfrastructureError(f"no worker starts; its last words are in {log}")

    def _cells_left(self) -> bool:
        return not self._stopped.is_set() and not self._waiting.empty()

    def _lost(self, cell: Cell, why: str) -> Finished:
        """Write down that the cell's worker died, unless it had stored the episode already."""
        with Store.open(self._orders.database) as store:
            if cell in store.pending():
                store.save(EpisodeRecord(cell, message=why))
                return Finished(cell, "error", why)
            return Finished(cell, "done")


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Keep a run's folder to this process; raises UserError if another one has it. A dead process has nothing."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"{folder} is being run by another process") from None
        yield
    finally:
        os.close(handle)


def run(folder: Path, orders: Orders, workers: int, tell: Callable[[Finished], None]) -> int:
    """Run every cell of a run that has no episode yet, or one that ended in error; return how many errors there are.

    `tell` hears of every finished cell. Raises UserError and InfrastructureError; what is finished is kept.
    """
    with claimed(folder):
        with Store.open(folder / FILE) as store:
            pending = store.pending()
        if pending:
            with contextlib.closing(Pool(orders, pending, workers).finished()) as results:
                for result in results:
                    tell(result)
        with Store.open(folder / FILE) as store:
            return len(store.pending())


def environment(base_url: str | None = None) -> dict[str, str]:
    """Return the environment of worker processes: this one's, the import path of this process, and where models are.

    A key for a model is in nothing else: neither in a command line nor in what a worker is told.
    """
    # `-P` keeps the current folder, which may hold a `runner` of its own, from the path.
    root = str(Path(__file__).resolve().parent.parent)
    inherited = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    asked = {"OPENAI_BASE_URL": base_url} if base_url else {}
    return {**os.environ, **asked, "PYTHONPATH": os.pathsep.join(dict.fromkeys([root, *inherited]))}
