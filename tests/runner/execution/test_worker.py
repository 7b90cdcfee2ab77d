"""A worker's messages to its parent and its log, and episodes that cannot be stored."""

import errno
import io
import json
import sqlite3
from pathlib import Path
from types import SimpleNamespace
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
from stressweb.runner.execution.worker import Visit, Worker, log

CELL = Cell(agent="naive", task="shop/x", condition="clean", world=0)


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


def serve_episode(store: Store, episode: EpisodeRecord) -> EpisodeRecord:
    """Let a worker serve a cell with the outcome `episode`; grading gives `GRADE`."""

    async def ran(cell: Cell, watch: Heartbeat, visit: Visit | None) -> EpisodeRecord:
        return episode

    config = cast("Any", SimpleNamespace(database=store.path))
    grading_thread = GradingThread(config)
    grading_thread._keep, grading_thread._grader = store.save, cast("Any", SimpleNamespace(grade=lambda record: GRADE))
    # SQLite's connection belongs to this thread.
    grading_thread.do = ran_here  # type: ignore[method-assign]
    worker = Worker.__new__(Worker)
    worker._run, worker._grading_thread, worker._config, worker._flying = ran, grading_thread, config, 0  # type: ignore[method-assign]
    done: EpisodeRecord = run(worker.serve(CELL, Heartbeat()))
    return done


async def ran_here(work: Any, *arguments: Any) -> Any:
    return work(*arguments)


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


def test_a_full_disk_is_no_error_of_an_episode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def save(record: EpisodeRecord) -> None:
        raise DiskFullError("full")

    with Store.create(tmp_path / "run.db", {}, [CELL]) as store:
        monkeypatch.setattr(store, "save", save)
        with pytest.raises(DiskFullError):
            serve_episode(store, EpisodeRecord(CELL))
        assert store.pending() == [CELL]


def test_an_error_without_space_for_temporary_files_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(disk_space, "LEAST", 1 << 60)
    with Store.create(tmp_path / "run.db", {}, [CELL]) as store:
        message = f"no space left in the folder for temporary files, {tmp_path}"
        with pytest.raises(DiskFullError, match=message):
            serve_episode(store, EpisodeRecord(CELL, message="the browser crashed"))
        assert store.pending() == [CELL]


@pytest.mark.parametrize(("number", "room"), [(errno.ENOSPC, False), (errno.EDQUOT, False), (errno.EACCES, True)])
def test_a_quota_is_a_lack_of_space_too(
    number: int, room: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(dir: Path) -> None:
        raise OSError(number, "refused")

    monkeypatch.setattr(disk_space.tempfile, "TemporaryFile", refuse)
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
