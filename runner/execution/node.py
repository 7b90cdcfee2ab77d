"""What runs on each machine of a cluster: a worker process, and the actor that passes it cells and returns episodes.

Nothing here imports Ray, which only carries the messages: JSON, and the bytes of a database.
"""

import contextlib
import hashlib
import inspect
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from runner import registry
from runner.execution.backend import AgentHung, WorkerDied, WorkerNotStarted
from runner.execution.mission import Mission
from runner.execution.process import WorkerProcess
from runner.execution.worker_config import WorkerConfig
from runner.plan.experiment import check_agents
from runner.registry import engine
from runner.registry.identity import plan_hash
from stressweb.core.browser_program import find_browser
from stressweb.core.errors import DiskFullError, InfrastructureError, UserError
from stressweb.core.tracebacks import scrubbed
from stressweb.log import parcel
from stressweb.log.recording import Cell
from stressweb.log.store import FILE
from stressweb.plugins.extensions import REFERENCE

_MOST_SAID = 20_000
"""Bytes of a worker's log that go with one answer."""


def facts(mission: Mission) -> dict[str, str]:
    """Return what must be the same on all machines of a run, by what a message calls it.

    The hash of the plan is made of all that its cells are: tasks, sites, checkpoints, parameters of the modes.
    """
    software = engine.current(find_browser().version)
    plug_ins = {f"plug-in {source}": _hash(source) for source in mission.sources}
    return {
        "stressweb": software["version"],
        "engine": software["engine"],
        "browser": software["browser"],
        "prompt": software["prompt"],
        **{name.capitalize(): version for name, version in software["packages"].items()},
        # Before the plan, in whose hash a mode of a plug-in is, too: the message then names the file.
        **plug_ins,
        "plan (tasks, sites, checkpoints and modes)": plan_hash(registry.Library(), mission.plan),
    }


def examined(text: str) -> dict[str, str]:
    """Return the facts of this machine for a mission as JSON, or what is wrong as its only entry, `mistake`."""
    mission = Mission.model_validate_json(text)
    try:
        enter(mission.folder)
        registry.load(mission.sources)
        # What an agent needs, such as a key or a server that answers, has to be there for its episodes.
        check_agents(mission.plan, mission.model, mission.base_url)
        return facts(mission)
    except (UserError, InfrastructureError) as error:
        return {"mistake": str(error)}


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Return in what another machine differs from this one, in a few words; empty if in nothing."""
    if "mistake" in there:
        return there["mistake"]
    for what, value in here.items():
        if (other := there.get(what)) != value:
            return f"it has {what} {other or 'unknown'}, and this machine has {value}"
    return ""


def present() -> None:
    """Answer, which shows that this machine is there."""


def enter(folder: Path) -> None:
    """Make the current folder that of the command, where it is there: what it names is then found alike."""
    with contextlib.suppress(OSError):
        os.chdir(folder)


class Reply(BaseModel):
    """What became of a request to a worker."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    outcome: Literal["done", "not_begun", "died", "hung", "mistake", "disk_full"]
    message: str = ""
    status: int | None = None
    """Exit status of a worker that died, negative for a signal."""
    spent: bool = False
    ends_run: bool = False
    log_text: str = ""
    """What the worker wrote to its log since the last answer."""

    def raise_for(self, where: str) -> None:
        """Raise what the worker process raised on its machine; `where` names that for a message."""
        if self.outcome in ("mistake", "disk_full"):
            raise (UserError if self.outcome == "mistake" else DiskFullError)(f"{where}: {self.message}")
        if self.outcome != "done":
            gone = _DEATHS[self.outcome](self.message)
            gone.status = self.status
            raise gone


_DEATHS: Mapping[str, type[WorkerDied]] = {"hung": AgentHung, "not_begun": WorkerNotStarted, "died": WorkerDied}


class NodeWorker:
    """A worker process and its parent on a machine of a cluster; each method answers one request of the driver.

    Requests come in threads of their own: one for each episode in flight, and one for each other question.
    """

    def __init__(self, config: str, folder: str) -> None:
        """Take the configuration of the run as JSON, and the current folder of the command; nothing starts yet."""
        enter(Path(folder))
        # Only this user may look into it, as into a run.
        self._scratch = Path(tempfile.mkdtemp(prefix="stressweb-worker-"))
        self._log, self._read = self._scratch / "worker.log", 0
        self._config = WorkerConfig.model_validate_json(config)
        self._process: WorkerProcess | None = None
        # Several episodes at a time have their answers in threads of their own.
        self._reading = threading.Lock()

    def ready(self) -> str:
        """Start the process, and answer when it takes cells."""
        with self._answering() as answer:
            # The same run, but with what is here: the browser, the place for episodes, and the parent.
            mine = {"database": self._scratch / FILE, "browser": find_browser().path, "parent": os.getpid()}
            config = self._config.model_copy(update={**mine, "parcels": True})
            self._process = WorkerProcess(config, self._log)
            self._process.await_ready()
        return self._told(answer)

    def run(self, cell: str) -> tuple[str, bytes]:
        """Have a cell run, given as JSON; answer with what became of it, and with its episode if it has one."""
        assert self._process is not None
        data = b""
        with self._answering() as answer:
            finished = self._process.run(Cell.model_validate_json(cell))
            answer |= {"spent": self._process.spent, "ends_run": finished.ends_run}
            path = parcel.place(self._scratch / FILE, finished.cell)
            data = path.read_bytes()
            # It is the driver's now; an episode that is in two places could be counted twice.
            path.unlink()
        return self._told(answer), data

    def alive(self) -> None:
        """Answer at once, also while an episode runs."""

    def end(self) -> None:
        """Let the process close its browser, and leave nothing behind."""
        if self._process is not None:
            self._process.end()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def kill(self) -> None:
        """End the process at once with all that it started, and leave nothing behind."""
        if self._process is not None:
            self._process.kill()
        shutil.rmtree(self._scratch, ignore_errors=True)

    @contextlib.contextmanager
    def _answering(self) -> Iterator[dict[str, object]]:
        """Yield the entries of an answer; what the process raises becomes some of them."""
        answer: dict[str, object] = {"outcome": "done"}
        try:
            yield answer
        except WorkerDied as gone:
            name = next(name for name, kind in _DEATHS.items() if isinstance(gone, kind))
            answer |= {"outcome": name, "message": str(gone), "status": gone.status}
        except DiskFullError as error:
            answer |= {"outcome": "disk_full", "message": str(error)}
        except UserError as error:
            answer |= {"outcome": "mistake", "message": str(error)}
        except InfrastructureError as error:
            # Like the death of a process, which may be tried again.
            answer |= {"outcome": "died", "message": str(error)}

    def _told(self, answer: Mapping[str, object]) -> str:
        return Reply.model_validate({**answer, "log_text": self._new_words()}).model_dump_json()

    def _new_words(self) -> str:
        with self._reading, contextlib.suppress(OSError), self._log.open("rb") as log:
            end = self._log.stat().st_size
            log.seek(max(self._read, end - _MOST_SAID))
            self._read = end
            # Keys are known here, where they stand in the environment, and not where the text goes.
            return scrubbed(log.read().decode(errors="replace"))
        return ""


def _hash(source: str) -> str:
    """Return a hash of the files of a plug-in: of a file, of a folder, or of the module of `module:Class`."""
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
        # By its place in the folder, for which each machine may have another parent.
        hasher.update(f"{file.relative_to(path).as_posix()}\n".encode() + file.read_bytes())
    return hasher.hexdigest()
