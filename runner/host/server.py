"""Starts and stops the episode server: its run, its worker with a browser, and its HTTP API."""

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

from stressweb.core.browser_program import find_browser
from stressweb.core.cores import cores
from stressweb.core.event_loop import handled
from stressweb.core.whole_file import write_atomically
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell
from stressweb.log.store import FILE
from stressweb.runner.execution.grading_thread import GradingThread
from stressweb.runner.execution.lanes import chosen, free_memory
from stressweb.runner.execution.worker import working
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.external.gate import LOOPBACK, Gate
from stressweb.runner.host.app import create_app, serve_episodes
from stressweb.runner.host.client import ADDRESS_FILE
from stressweb.runner.host.episodes import Episodes
from stressweb.runner.host.run import HostRun, opened_run
from stressweb.runner.host.stage import Stage
from stressweb.runner.host.warming import warm
from stressweb.runner.registry import EXTENSIONS, Library


@dataclass(frozen=True)
class Settings:
    """Settings of a server."""

    out: Path | None = None
    """Folder of the run; by default a new folder in `runs_dir`."""
    runs_dir: Path = Path("runs")
    port: int = 8700
    listen: str = LOOPBACK
    """The address of this machine to listen on."""
    idle_s: float = 300.0
    """Seconds without client activity after which an episode expires."""
    in_flight: int | None = None
    """Most episodes that may be open at a time; by default as many as the free memory allows, up to 32."""
    limits: Limits = Limits()  # noqa: RUF009 - frozen
    explicit_names: Collection[str] = ()
    """The names of the limits that the user set explicitly."""
    version: str = ""
    """Version of the agents, for the record."""


@dataclass(frozen=True)
class Serving:
    """A running server."""

    url: str
    token: str
    folder: Path
    finished: int
    """Number of episodes that earlier servers of the folder finished."""
    lost: list[Cell]
    """The cells whose episodes were open when a server stopped, or ended with an error."""
    episodes: Episodes
    most: int
    """Most episodes that may be open at a time."""


async def serve(settings: Settings, announce: Callable[[Serving], object]) -> tuple[int, int]:
    """Serve until SIGINT or SIGTERM; return the signal's number, and the number of open episodes that were lost.

    `announce` is called when the server is ready. Raises UserError.
    """
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def end(number: int) -> None:
        if not ended.done():
            ended.set_result(number)

    with handled((signal.SIGINT, signal.SIGTERM), end):
        async with serving(settings) as server:
            announce(server)
            number = await ended
            return number, await server.episodes.close()


@contextlib.asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Serving]:
    """Run the server while the context is open. Raises UserError."""
    library, token = Library(), secrets.token_urlsafe(24)
    # One process is enough, because the agents mostly wait for models.
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
        async with GradingThread(config) as grading_thread, _connection(run, grading_thread):
            # Open the gate last and close it first, so that it only answers while everything behind it runs.
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
                        _published_address(run.folder / ADDRESS_FILE, url, token),
                    ):
                        serve_episodes(app, gate.address, run, episodes, Path(scratch))
                        try:
                            yield Serving(url, token, run.folder, finished, lost, episodes, most)
                        finally:
                            await episodes.close()


@contextlib.asynccontextmanager
async def _connection(run: HostRun, grading_thread: GradingThread) -> AsyncIterator[None]:
    await grading_thread.do(run.connect)
    try:
        yield
    finally:
        await grading_thread.do(run.close)


@contextlib.contextmanager
def _published_address(path: Path, url: str, token: str) -> Iterator[None]:
    """Keep the address and the token in a file, readable by its owner only, while the context is open."""
    write_atomically(path, json.dumps({"url": url, "token": token}), private=True)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
