"""Answers of a machine in a cluster: its installation, and the outcome of a cell."""

import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.errors import DiskFullError, UserError
from stressweb.log import parcel
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import FILE
from stressweb.runner.execution import node
from stressweb.runner.execution.backend import AgentHung, Finished, WorkerDied, WorkerNotStarted
from stressweb.runner.execution.mission import Mission, whole_sources
from stressweb.runner.execution.node import NodeWorker, Reply, difference
from stressweb.runner.execution.worker_config import WorkerConfig
from tests.support.plans import plan

CELL = Cell(agent="naive", task="shop/profile", condition="clean", world=0)


def gone(kind: type[WorkerDied], status: int | None) -> WorkerDied:
    error = kind("the worker process died")
    error.status = status
    return error


class Fake:
    """Fake of a worker process, without a process."""

    takes_no_more = True

    def __init__(self) -> None:
        self.ends: Exception | None = None
        self.together = threading.Barrier(1)
        """Number of cells that must run at a time."""
        self.over = ""

    def start(self, config: WorkerConfig, log: Path) -> "Fake":
        self.config, self.log = config, log
        return self

    def await_ready(self) -> None:
        self.log.write_text("ready\n")

    def run(self, cell: Cell) -> Finished:
        with self.log.open("a") as log:
            log.write(f"ran {os.environ.get('MADE_UP_KEY', '')}\n")
        if self.ends is not None:
            raise self.ends
        self.together.wait()
        parcel.place(self.config.database, cell).write_bytes(f"episode {cell.epoch}".encode())
        return Finished(cell, "done")

    def end(self) -> None:
        self.over = "ended"

    def kill(self) -> None:
        self.over = "killed"


@pytest.fixture
def process() -> Fake:
    return Fake()


@pytest.fixture
def chrome(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The browser of the machine."""
    path = tmp_path_factory.mktemp("there") / "chrome"
    path.write_text("#!/bin/sh\necho Chrome 1.0\n")
    path.chmod(0o755)
    monkeypatch.setenv("STRESSWEB_BROWSER", str(path))
    return path


@pytest.fixture
def worker(process: Fake, chrome: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> NodeWorker:
    monkeypatch.chdir(tmp_path)
    config = WorkerConfig(
        database=Path("here/run.db"),
        browser=Path("here/chrome"),
        plan=Plan(agents=(), tasks=(), conditions=()),
        parent=1,
    )
    return NodeWorker(config.model_dump_json(), str(tmp_path), process.start)


def test_a_worker_uses_the_paths_of_its_machine(worker: NodeWorker, process: Fake, chrome: Path) -> None:
    assert Reply.model_validate_json(worker.ready()) == Reply(outcome="done", log_text="ready")
    config = process.config
    assert config.browser == chrome
    assert [path.name for path in config.database.parent.iterdir()] == ["worker.log"]
    assert (config.parent, config.parcels) == (os.getpid(), True)


def test_the_episode_is_sent_and_not_kept(worker: NodeWorker, process: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MADE_UP_KEY", "no-idea-secret-0123456789")
    worker.ready()
    text, data = worker.run(CELL.model_dump_json())
    assert Reply.model_validate_json(text) == Reply(outcome="done", takes_no_more=True, log_text="ran [key]")
    assert data == b"episode 0"
    assert [path.name for path in process.config.database.parent.iterdir()] == ["worker.log"]


def test_episodes_that_run_at_a_time_are_not_mixed_up(worker: NodeWorker, process: Fake) -> None:
    process.together = threading.Barrier(4, timeout=20)
    worker.ready()
    cells = [CELL.model_copy(update={"epoch": number}) for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(worker.run, [cell.model_dump_json() for cell in cells]))
    assert [data for _, data in answers] == [f"episode {number}".encode() for number in range(4)]
    words = "".join(Reply.model_validate_json(text).log_text for text, _ in answers)
    assert words.count("ran") == 4, "each line of the log is sent once"


@pytest.mark.parametrize(
    "raised",
    [
        gone(WorkerDied, -9),
        gone(WorkerDied, None),
        gone(AgentHung, 3),
        gone(WorkerNotStarted, None),
        DiskFullError("no space left"),
        UserError("no such agent"),
    ],
)
def test_errors_of_a_worker_are_raised_at_the_driver(worker: NodeWorker, process: Fake, raised: Exception) -> None:
    worker.ready()
    process.ends = raised
    text, data = worker.run(CELL.model_dump_json())
    assert data == b""
    with pytest.raises(type(raised), match=str(raised)) as caught:
        Reply.model_validate_json(text).raise_for("node b")
    assert type(caught.value) is type(raised)
    assert getattr(caught.value, "status", None) == getattr(raised, "status", None)


@pytest.mark.parametrize(("how", "over"), [("end", "ended"), ("kill", "killed")])
def test_nothing_is_left_on_the_machine(worker: NodeWorker, process: Fake, how: str, over: str) -> None:
    worker.ready()
    scratch = process.config.database.parent
    assert scratch.is_dir()
    getattr(worker, how)()
    assert process.over == over
    assert not scratch.exists()


@given(
    st.builds(
        Reply,
        outcome=st.sampled_from(["done", "not_begun", "died", "hung", "mistake", "disk_full"]),
        message=st.text(),
        status=st.none() | st.integers(-64, 255),
        takes_no_more=st.booleans(),
        log_text=st.text(),
    )
)
def test_a_reply_arrives_as_it_was_sent(reply: Reply) -> None:
    assert Reply.model_validate_json(reply.model_dump_json()) == reply


FACTS = st.dictionaries(st.sampled_from(["stressweb", "engine", "browser", "plan"]), st.text(min_size=1), min_size=1)


@given(FACTS, st.data())
def test_the_difference_of_a_machine_is_named(here: dict[str, str], data: st.DataObject) -> None:
    assert difference(here, dict(here)) == ""
    fact = data.draw(st.sampled_from(sorted(here)))
    there = {**here, fact: here[fact] + "x"}
    assert difference(here, there) == f"it has {fact} {there[fact]}, and this machine has {here[fact]}"
    del there[fact]
    assert difference(here, there) == f"it has {fact} unknown, and this machine has {here[fact]}"
    assert difference(here, {"mistake": "no browser found"}) == "no browser found"


def mission(folder: Path, *sources: str) -> Mission:
    return Mission(plan=plan(tasks=["shop/profile"]), sources=sources, folder=folder)


def test_a_machine_of_the_same_kind_has_the_same_facts(tmp_path: Path) -> None:
    local_mission = mission(tmp_path)
    here = node.facts(local_mission)
    assert {"stressweb", "engine", "browser", "prompt", "Python", "Playwright"} < here.keys()
    assert difference(here, node.facts(Mission.model_validate_json(local_mission.model_dump_json()))) == ""
    other_plan = Plan.model_validate({**local_mission.plan.model_dump(), "max_steps": 7})
    assert "it has plan (tasks, sites" in difference(
        here, node.facts(local_mission.model_copy(update={"plan": other_plan}))
    )


def test_a_changed_plug_in_is_noticed_by_content_not_path(tmp_path: Path) -> None:
    files = [tmp_path / name / "mine.py" for name in ("a", "b", "c")]
    for file, text in zip(files, ("x = 1", "x = 1", "x = 2"), strict=True):
        file.parent.mkdir()
        file.write_text(text)
    same, other, changed = (node.plug_in_hash(str(file)) for file in files)
    assert same == other != changed
    assert (
        node.plug_in_hash(str(tmp_path / "a"))
        == node.plug_in_hash(str(tmp_path / "b"))
        != node.plug_in_hash(str(tmp_path / "c"))
    )


def test_a_missing_plug_in_on_a_machine_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    facts = node.examined(mission(tmp_path, str(tmp_path / "gone.py")).model_dump_json())
    assert re.search(r"--load .*gone.py does not exist", difference({}, facts))


def test_paths_are_whole_since_another_machine_has_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("")
    assert whole_sources(["mine.py", "pkg.mod:Class"]) == (str(tmp_path / "mine.py"), "pkg.mod:Class")


def test_a_worker_writes_each_episode_into_a_database_of_its_own(tmp_path: Path) -> None:
    from stressweb.log.parcel import unpack
    from stressweb.runner.execution.grading_thread import saving

    config = WorkerConfig(
        database=tmp_path / FILE,
        browser=tmp_path,
        plan=Plan(agents=(), tasks=(), conditions=()),
        parcels=True,
        parent=1,
    )
    other_cell = CELL.model_copy(update={"epoch": 1})
    with saving(config) as keep:
        for cell in (CELL, other_cell):
            keep(EpisodeRecord(cell, "error", message=cell.key))
        for cell in (CELL, other_cell):
            assert unpack(parcel.place(tmp_path / FILE, cell).read_bytes(), cell).message == cell.key
