"""The episode server as a whole: the run, the browser, the HTTP interface, from its start to its end."""

import asyncio
import contextlib
import json
import os
import secrets
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from runner.execution.grading_thread import GradingThread
from runner.execution.lanes import chosen, free_memory
from runner.execution.worker import working
from runner.execution.worker_config import WorkerConfig
from runner.external.gate import LOOPBACK, Gate
from runner.host.app import create_app, serve_episodes
from runner.host.client import ADDRESS_FILE
from runner.host.episodes import Episodes
from runner.host.run import HostRun, opened_run
from runner.host.stage import Stage
from runner.host.warming import warm
from runner.registry import EXTENSIONS, Library
from stressweb.core.browser_program import find_browser
from stressweb.core.cores import cores
from stressweb.core.whole_file import write_atomically
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell
from stressweb.log.store import FILE


@dataclass(frozen=True)
class Settings:
    """How a server is to be."""

    out: Path | None = None
    """Folder of the run; a new one in `runs_dir` if not given."""
    runs_dir: Path = Path("runs")
    port: int = 8700
    listen: str = LOOPBACK
    """The address of this machine at which it listens."""
    idle_s: float = 300.0
    """After how many seconds without a word of a client an episode expires."""
    in_flight: int | None = None
    """How many episodes may be open at a time; if not given, as many as the free memory allows, at most 32."""
    limits: Limits = Limits()  # noqa: RUF009 - frozen
    explicit_names: Collection[str] = ()
    """The limits that the user typed."""
    version: str = ""
    """Version of what plays, for the record."""


@dataclass(frozen=True)
class Serving:
    """A server that answers."""

    url: str
    token: str
    folder: Path
    finished: int
    """How many episodes earlier servers of the folder have finished."""
    lost: list[Cell]
    """The cells whose episodes were open when a server ended, or that ended in an error."""
    episodes: Episodes
    most: int
    """How many episodes may be open at a time."""


async def serve(settings: Settings, announce: Callable[[Serving], object]) -> tuple[int, int]:
    """Serve until SIGINT or SIGTERM; return which of them it was, and how many open episodes were lost by it.

    `announce` is called when the server answers. Raises UserError.
    """
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def end(number: int) -> None:
        if not ended.done():
            ended.set_result(number)

    with _on_signals(end):
        async with serving(settings) as server:
            announce(server)
            number = await ended
            return number, await server.episodes.close()


@contextlib.asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Serving]:
    """Serve for the time of the context. Raises UserError."""
    library, token = Library(), secrets.token_urlsafe(24)
    # The server is one process, whose agents wait for models or are slow themselves.
    most = chosen(1, settings.in_flight, waits=True, cores=cores(), memory=free_memory(), own_browsers=True).in_flight
    with opened_run(settings.out, settings.runs_dir, settings.limits, settings.explicit_names, library) as run:
        config = WorkerConfig(
            database=run.folder / FILE,
            browser=find_browser().path,
            plan=run.plan,
            extensions=EXTENSIONS.sources,
            parent=os.getppid(),
        )
        app = create_app(token)
        async with GradingThread(config) as grading_thread, _connected(run, grading_thread):
            # The gate last: it answers only when everything behind it is there, and nothing when it ends.
            gate = Gate(app, settings.port, settings.listen)
            async with working(config, grading_thread, gate) as worker:
                stage = Stage(worker, run.folder)
                episodes = Episodes(
                    run, stage, grading_thread, library, idle_s=settings.idle_s, most=most, version=settings.version
                )
                finished, lost = await episodes.load()
                await warm(config.browser, grading_thread, library)
                async with gate:
                    url = f"http://{gate.address}"
                    with (
                        tempfile.TemporaryDirectory(prefix="stressweb-host-") as scratch,
                        _told(run.folder / ADDRESS_FILE, url, token),
                    ):
                        serve_episodes(app, gate.address, run, episodes, Path(scratch))
                        try:
                            yield Serving(url, token, run.folder, finished, lost, episodes, most)
                        finally:
                            await episodes.close()


@contextlib.asynccontextmanager
async def _connected(run: HostRun, grading_thread: GradingThread) -> AsyncIterator[None]:
    await grading_thread.do(run.connect)
    try:
        yield
    finally:
        await grading_thread.do(run.close)


@contextlib.contextmanager
def _told(path: Path, url: str, token: str) -> Iterator[None]:
    """Have address and token in a file that only its owner can read."""
    write_atomically(path, json.dumps({"url": url, "token": token}), private=True)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def _on_signals(end: Callable[[int], None]) -> Iterator[None]:
    """Call `end` instead of what a signal does otherwise."""
    loop, numbers = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        loop.add_signal_handler(number, end, number)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
            signal.signal(number, before[number])
