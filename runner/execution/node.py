"""Code for each machine of a cluster: a worker process, and the actor that sends it cells and returns episodes.

This module does not import Ray, which only transports the messages: JSON, and the bytes of a database.
"""

import contextlib
import hashlib
import inspect
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from stressweb.core.browser_program import find_browser
from stressweb.core.errors import DiskFullError, InfrastructureError, UserError
from stressweb.core.tracebacks import scrubbed
from stressweb.log import parcel
from stressweb.log.recording import Cell
from stressweb.log.store import FILE
from stressweb.plugins.extensions import REFERENCE
from stressweb.runner import registry
from stressweb.runner.execution.backend import AgentHung, WorkerDied, WorkerHandle, WorkerNotStarted
from stressweb.runner.execution.mission import Mission
from stressweb.runner.execution.process import WorkerProcess
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.plan.experiment import check_agents
from stressweb.runner.registry import engine
from stressweb.runner.registry.identity import plan_hash

_MAX_LOG_BYTES = 20_000
"""Maximum number of bytes of a worker's log that are sent with one answer."""


def facts(mission: Mission) -> dict[str, str]:
    """Return the facts that must agree on all machines of a run, by their name in messages.

    The hash of the plan covers everything that defines its cells: tasks, sites, checkpoints, parameters of the modes.
    """
    software = engine.current(find_browser().version)
    plug_ins = {f"plug-in {source}": plug_in_hash(source) for source in mission.sources}
    return {
        "stressweb": software["version"],
        "engine": software["engine"],
        "browser": software["browser"],
        "prompt": software["prompt"],
        **{name.capitalize(): version for name, version in software["packages"].items()},
        # Plug-ins come before the plan, whose hash also depends on them, so that the message names the file.
        **plug_ins,
        "plan (tasks, sites, checkpoints and modes)": plan_hash(registry.Library(), mission.plan),
    }


def examined(text: str) -> dict[str, str]:
    """Return this machine's facts for a mission given as JSON; on an error, a dict with only the key `mistake`."""
    mission = Mission.model_validate_json(text)
    try:
        enter(mission.folder)
        registry.load(mission.sources)
        # Check what the agents need, such as a key or a reachable server.
        check_agents(mission.plan, mission.model, mission.base_url)
        return facts(mission)
    except (UserError, InfrastructureError) as error:
        return {"mistake": str(error)}


def difference(local_facts: Mapping[str, str], remote_facts: Mapping[str, str]) -> str:
    """Describe the first difference between another machine and this one; return an empty string if there is none."""
    if "mistake" in remote_facts:
        return remote_facts["mistake"]
    for fact, local in local_facts.items():
        if (remote := remote_facts.get(fact)) != local:
            return f"it has {fact} {remote or 'unknown'}, and this machine has {local}"
    return ""


def present() -> None:
    """Do nothing; the answer shows that this machine is running."""


def enter(folder: Path) -> None:
    """Change to the command's working directory if it exists here, so that relative paths and modules resolve alike."""
    with contextlib.suppress(OSError):
        os.chdir(folder)


class Reply(BaseModel):
    """The outcome of a request to a worker."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    outcome: Literal["done", "not_begun", "died", "hung", "mistake", "disk_full"]
    message: str = ""
    status: int | None = None
    """Exit status of a worker that died, negative for a signal."""
    takes_no_more: bool = False
    ends_run: bool = False
    log_text: str = ""
    """The worker's log output since the last answer."""

    def raise_for(self, machine: str) -> None:
        """Raise the error of the worker process, if any; `machine` is the machine's name for the message."""
        if self.outcome in ("mistake", "disk_full"):
            raise (UserError if self.outcome == "mistake" else DiskFullError)(f"{machine}: {self.message}")
        if self.outcome != "done":
            gone = _DEATHS[self.outcome](self.message)
            gone.status = self.status
            raise gone


_DEATHS: Mapping[str, type[WorkerDied]] = {"hung": AgentHung, "not_begun": WorkerNotStarted, "died": WorkerDied}


class NodeWorker:
    """The parent of a worker process on a machine of a cluster; each method answers one request of the driver.

    Each request runs in its own thread.
    """

    def __init__(
        self, config: str, folder: str, start: Callable[[WorkerConfig, Path], WorkerHandle] = WorkerProcess
    ) -> None:
        """Take the configuration of the run as JSON, and the command's working directory; nothing starts yet.

        `start` starts a worker that writes its log into a file.
        """
        enter(Path(folder))
        # Readable by this user only, like a run's folder.
        self._scratch = Path(tempfile.mkdtemp(prefix="stressweb-worker-"))
        self._log, self._read = self._scratch / "worker.log", 0
        self._config = WorkerConfig.model_validate_json(config)
        self._start = start
        self._process: WorkerHandle | None = None
        # Several threads may read the log at a time.
        self._reading = threading.Lock()

    def ready(self) -> str:
        """Start the process, and answer when it accepts cells."""
        with self._answering() as answer:
            # The same configuration with this machine's browser, database and parent process.
            mine = {"database": self._scratch / FILE, "browser": find_browser().path, "parent": os.getpid()}
            config = self._config.model_copy(update={**mine, "parcels": True})
            self._process = self._start(config, self._log)
            self._process.await_ready()
        return self._reply_json(answer)

    def run(self, cell: str) -> tuple[str, bytes]:
        """Run a cell given as JSON; return the reply, and the episode's bytes if there is one."""
        assert self._process is not None
        data = b""
        with self._answering() as answer:
            finished = self._process.run(Cell.model_validate_json(cell))
            answer |= {"takes_no_more": self._process.takes_no_more, "ends_run": finished.ends_run}
            path = parcel.place(self._scratch / FILE, finished.cell)
            data = path.read_bytes()
            # The driver owns the episode now; a second copy could be counted twice.
            path.unlink()
        return self._reply_json(answer), data

    def alive(self) -> None:
        """Answer at once, even while an episode runs."""

    def end(self) -> None:
        """Let the process close its browser and exit, and remove its files."""
        if self._process is not None:
            self._process.end()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def kill(self) -> None:
        """Kill the process and everything that it started, and remove its files."""
        if self._process is not None:
            self._process.kill()
        shutil.rmtree(self._scratch, ignore_errors=True)

    @contextlib.contextmanager
    def _answering(self) -> Iterator[dict[str, object]]:
        """Yield the fields of an answer; convert exceptions of the process to fields."""
        answer: dict[str, object] = {"outcome": "done"}
        try:
            yield answer
        except WorkerDied as gone:
            name = next(name for name, death_type in _DEATHS.items() if isinstance(gone, death_type))
            answer |= {"outcome": name, "message": str(gone), "status": gone.status}
        except DiskFullError as error:
            answer |= {"outcome": "disk_full", "message": str(error)}
        except UserError as error:
            answer |= {"outcome": "mistake", "message": str(error)}
        except InfrastructureError as error:
            # Treat it like the process's death, which may be retried.
            answer |= {"outcome": "died", "message": str(error)}

    def _reply_json(self, answer: Mapping[str, object]) -> str:
        return Reply.model_validate({**answer, "log_text": self._new_log_text()}).model_dump_json()

    def _new_log_text(self) -> str:
        with self._reading, contextlib.suppress(OSError), self._log.open("rb") as log:
            end = self._log.stat().st_size
            log.seek(max(self._read, end - _MAX_LOG_BYTES))
            self._read = end
            # Remove the keys here: they are in this machine's environment, and the receiver does not know them.
            return scrubbed(log.read().decode(errors="replace"))
        return ""


def plug_in_hash(source: str) -> str:
    """Return a hash of a plug-in's files: a file, a folder, or the module of `module:Class`."""
    path = Path(source)
    if REFERENCE.fullmatch(source):
        path = Path(inspect.getsourcefile(sys.modules[source.partition(":")[0]]) or "")
    hasher = hashlib.blake2b(digest_size=8)
    files = sorted(
        path_inside
        for path_inside in path.rglob("*")
        if path_inside.is_file() and "__pycache__" not in path_inside.parts
    )
    for file in files or [path]:
        # Hash the relative path, because the folder may be elsewhere on each machine.
        hasher.update(f"{file.relative_to(path).as_posix()}\n".encode() + file.read_bytes())
    return hasher.hexdigest()
