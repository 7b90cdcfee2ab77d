"""A worker's messages to its parent and its log, and episodes that cannot be stored."""

import errno
import io
import json
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from scripts.blocking import run
from stressweb.core.entity import Entity
from stressweb.core.errors import DiskFullError, TooLargeError
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.run_file import MOST
from stressweb.log.store import Store
from stressweb.plugins.checks import Grade
from stressweb.plugins.database import TableChange
from stressweb.runner.episode.agent_thread import Heartbeat
from stressweb.runner.execution import disk_space
from stressweb.runner.execution.grading_thread import GradingThread
from stressweb.runner.execution.parent_pipe import HeartbeatSender, teller
from stressweb.runner.execution.worker import Worker, log
from stressweb.runner.execution.worker_config import WorkerConfig
from tests.support.plans import plan

CELL = Cell(agent="naive", task="shop/x", condition="clean", world=0)
FOR_EXTERNAL_AGENTS = ("openai", "fastapi", "uvicorn")
"""Libraries that take longer to import than the rest of a worker."""


def test_a_worker_starts_without_the_libraries_for_external_agents() -> None:
    program = f"""
import sys
import stressweb.runner.execution.worker
print(*({set(FOR_EXTERNAL_AGENTS)} & set(sys.modules)))
"""
    command = [sys.executable, "-P", "-c", program]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "\n"


def test_the_parent_gets_every_turn_of_the_agent() -> None:
    stream = io.StringIO()
    watch = HeartbeatSender(teller(stream), CELL)
    watch.deciding(12.5)
    watch.decided()
    watch.working()
    messages = [json.loads(line) for line in stream.getvalue().splitlines()]
    about = {"about": CELL.key}
    assert messages == [{**about, "deciding": 12.5}, {**about, "decided": True}, {**about, "working": True}]


@pytest.mark.parametrize("status", ["crashed", "error"])
def test_the_log_has_the_traceback(status: Any, capsys: pytest.CaptureFixture[str]) -> None:
    log(EpisodeRecord(CELL, status, message="LookupError: no idea", traceback="Traceback ..."))
    log(EpisodeRecord(CELL, "done"))
    assert capsys.readouterr().err == f"{status}: {CELL.key}: LookupError: no idea\nTraceback ...\n"


GRADE = Grade({"saw it": False}, {}, verdict=False)


class HereThread(GradingThread):
    """Grades and stores in the calling thread, to which SQLite's connection belongs, and draws nothing."""

    async def do(self, work: Any, *arguments: Any) -> Any:
        return work(*arguments)

    def drawn(self, cell: Cell) -> Any:
        return None, None


class Ground:
    """Playground on which every episode ends alike."""

    def __init__(self, episode: EpisodeRecord) -> None:
        self._episode = episode

    async def play(self, *_: object, **__: object) -> EpisodeRecord:
        return self._episode


def serve_episode(
    store: Store, episode: EpisodeRecord, keep: Callable[[EpisodeRecord], None] | None = None
) -> EpisodeRecord:
    """Let a worker serve a cell with the outcome `episode`; grading gives `GRADE`."""
    config = WorkerConfig(
        database=store.path,
        browser=store.path.parent,
        plan=plan(tasks=("shop/profile",), conditions=("clean",)),
        parent=1,
    )

    async def served() -> EpisodeRecord:
        async with HereThread(config, lambda record: GRADE, keep or store.save) as grading_thread:
            return await Worker(config, cast("Any", Ground(episode)), grading_thread).serve(CELL, Heartbeat())

    done: EpisodeRecord = run(served())
    return done


def test_an_episode_that_cannot_be_stored_is_an_error_of_ours(tmp_path: Path) -> None:
    record = EpisodeRecord(CELL, "error", final={"a": TableChange(("id",), added=(Entity(id=object()),))})
    with Store.create(tmp_path / "run.db", {}, [CELL]) as store:
        done = serve_episode(store, record)
        stored = store.load(CELL)
    assert (done.status, stored.status) == ("error", "error")
    assert stored.message == "TypeError: Object of type object is not JSON serializable"
    assert "not JSON serializable" in stored.traceback


@pytest.mark.parametrize(("status", "stored_status"), [("done", "crashed"), ("error", "error")])
def test_an_episode_that_is_too_large_is_the_agents_failure(tmp_path: Path, status: Any, stored_status: str) -> None:
    page = Shown("http://shop.test/", "a" * (MOST + 1))
    record = EpisodeRecord(CELL, status, "done", steps=[StepRecord(page)], seconds=2.0)
    with Store.create(tmp_path / "run.db", {}, [CELL]) as store:
        done = serve_episode(store, record)
        (stored,) = store.episodes()
        assert store.pending() == ([CELL] if stored_status == "error" else [])
    assert (done.status, stored.status, stored.claim) == (stored_status, stored_status, "done")
    assert stored.message == f"a page or screenshot has {MOST + 1} bytes; the limit is {MOST}"
    assert stored.grade == (None if stored_status == "error" else GRADE)


def test_a_message_that_is_too_large_is_not_stored_either(tmp_path: Path) -> None:
    with Store.create(tmp_path / "run.db", {}, [CELL]) as store:
        with pytest.raises(TooLargeError, match=f"larger than {MOST} bytes"):
            store.save(EpisodeRecord(CELL, "done", message="a" * (MOST + 1)))
        assert store.episodes() == []


def test_a_full_disk_is_no_error_of_an_episode(tmp_path: Path) -> None:
    def save(record: EpisodeRecord) -> None:
        raise DiskFullError("full")

    with Store.create(tmp_path / "run.db", {}, [CELL]) as store:
        with pytest.raises(DiskFullError):
            serve_episode(store, EpisodeRecord(CELL), save)
        assert store.pending() == [CELL]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a file system without space: /proc")
def test_an_error_without_space_for_temporary_files_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/proc")
    with Store.create(tmp_path / "run.db", {}, [CELL]) as store:
        with pytest.raises(DiskFullError, match="no space left in the folder for temporary files, /proc"):
            serve_episode(store, EpisodeRecord(CELL, message="the browser crashed"))
        assert store.pending() == [CELL]


@pytest.mark.parametrize(("number", "room"), [(errno.ENOSPC, False), (errno.EDQUOT, False), (errno.EACCES, True)])
def test_a_quota_is_a_lack_of_space_too(
    number: int, room: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(dir: Path) -> None:
        raise OSError(number, "refused")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    assert (disk_space.full(tmp_path) is None) == room


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE])
def test_sqlites_errors_for_a_full_disk_are_recognised(code: int, tmp_path: Path) -> None:
    class Refusing:
        def execute(self, *_: object) -> None:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = code
            raise error

    store = Store(tmp_path / "run.db", Refusing())  # type: ignore[arg-type]
    with pytest.raises(DiskFullError, match="cannot be written: database or disk is full"):
        store.save(EpisodeRecord(CELL))
