"""Run files open after crashes and beside busy writers, and only their owner can read them."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.errors import DiskFullError, UserError
from stressweb.log.recording import Cell
from stressweb.log.run_file import full
from stressweb.log.store import Store
from tests.stressweb.log.growing_runs import CELLS, episode
from tests.support.edited_runs import rows


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run.db"
    Store.create(path, {}, CELLS).close()
    return path


def finished(path: Path) -> list[Cell]:
    with Store.open(path) as store:
        assert store.altered(contents=True) == {}
        return [summary.cell for summary in store.episodes()]


@pytest.fixture
def in_checkpoint(run: Path, tmp_path: Path) -> Path:
    """A copy of file and log in the middle of a checkpoint: only the first page is copied."""
    with Store.open(run) as store:
        for cell in CELLS:
            store.save(episode(cell))
        before, log = run.read_bytes(), run.with_name("run.db-wal").read_bytes()
        rows(run, "PRAGMA wal_checkpoint(PASSIVE)")
        after = run.read_bytes()
    copy = tmp_path / "killed" / "run.db"
    copy.parent.mkdir()
    assert len(after) > len(before) + 100_000
    copy.write_bytes(after[:4096] + before[4096:])
    copy.with_name("run.db-wal").write_bytes(log)
    return copy


def test_a_run_that_was_killed_in_a_checkpoint_opens_with_all_its_episodes(in_checkpoint: Path) -> None:
    with Store.read(in_checkpoint) as store:
        assert [summary.cell for summary in store.episodes()] == CELLS
    assert in_checkpoint.with_name("run.db-wal").exists(), "reading leaves the log where it is"
    assert finished(in_checkpoint) == CELLS
    assert [path.name for path in in_checkpoint.parent.iterdir()] == ["run.db"]
    assert finished(in_checkpoint) == CELLS


def test_a_run_without_the_log_that_it_needs_is_damaged(in_checkpoint: Path) -> None:
    in_checkpoint.with_name("run.db-wal").unlink()
    before = in_checkpoint.read_bytes()
    with pytest.raises(UserError, match=r"is damaged: it is truncated to \d+ of \d+ bytes$"):
        Store.open(in_checkpoint)
    assert in_checkpoint.read_bytes() == before


def test_a_log_that_damages_the_file_stays_beside_it(in_checkpoint: Path) -> None:
    """The log is checked together with the file before it is copied into it."""
    log = in_checkpoint.with_name("run.db-wal")
    with sqlite3.connect(in_checkpoint) as connection:
        connection.execute("CREATE VIEW more AS SELECT 1")
        connection.commit()
        database, log_bytes = in_checkpoint.read_bytes(), log.read_bytes()
    connection.close()
    in_checkpoint.write_bytes(database)
    log.write_bytes(log_bytes)
    with pytest.raises(UserError, match="it has the 'view' 'more'"):
        Store.open(in_checkpoint)
    assert (in_checkpoint.read_bytes(), log.read_bytes()) == (database, log_bytes)


WRITER = """
import sys
from pathlib import Path
from stressweb.log.store import Store
from tests.stressweb.log.growing_runs import CELLS, episode
for round in range(10_000):
    # The last connection to close copies the log into the file and removes it.
    with Store.open(Path(sys.argv[1])) as store:
        store.save(episode(CELLS[round % len(CELLS)], 30_000 + round * 500))
"""


@pytest.fixture
def writers(run: Path) -> Iterator[None]:
    started = [subprocess.Popen([sys.executable, "-P", "-c", WRITER, str(run)]) for _ in range(2)]
    yield
    for process in started:
        assert process.poll() is None, "it went on writing"
        process.kill()
        process.wait()


@pytest.mark.starts
def test_a_run_opens_beside_two_that_write(run: Path, writers: None) -> None:
    while not finished(run):
        pass
    for _ in range(150):
        with Store.read(run) as store:
            assert store.episodes()


def read_all(path: Path) -> None:
    with Store.read(path) as store:
        store.meta()
        store.cells()
        store.altered(contents=True)
        store.episodes()
        store.load(CELLS[0])


@given(change=st.tuples(st.integers(0, 10**6), st.integers(1, 255)))
def test_a_changed_byte_is_refused_in_one_line_or_read(
    tmp_path_factory: pytest.TempPathFactory, change: tuple[int, int]
) -> None:
    path = tmp_path_factory.mktemp("byte") / "run.db"
    with Store.create(path, {"plan": {}}, CELLS[:2]) as store:
        store.save(episode(CELLS[0], 500))
    content = bytearray(path.read_bytes())
    content[change[0] % len(content)] ^= change[1]
    path.write_bytes(content)
    try:
        read_all(path)
    except UserError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017 - it may also be that nothing is noticed
    except KeyError:
        # The only episode is gone; no other error is possible.
        pass
    assert path.read_bytes() == bytes(content)


def test_a_run_that_is_opened_for_reading_cannot_be_written(run: Path) -> None:
    with Store.read(run) as store, pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.save(episode(CELLS[0]))
    assert finished(run) == []


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_a_run_is_for_its_owner_alone_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with Store.create(tmp_path / "run.db", {}, CELLS) as store:
            store.save(episode(CELLS[0]))
            rights = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert rights == {"run.db": 0o600, "run.db-wal": 0o600, "run.db-shm": 0o600}


@pytest.mark.parametrize(
    ("code", "is_full"),
    [
        (sqlite3.SQLITE_FULL, True),
        (sqlite3.SQLITE_IOERR_WRITE, True),
        (sqlite3.SQLITE_IOERR_SHMSIZE, True),
        (sqlite3.SQLITE_IOERR_READ, False),
        (sqlite3.SQLITE_CORRUPT, False),
        (sqlite3.SQLITE_BUSY, False),
    ],
)
def test_a_full_disk_is_named_as_such(tmp_path: Path, code: int, is_full: bool) -> None:
    error = sqlite3.OperationalError("told")
    error.sqlite_errorcode = code
    assert isinstance(full(tmp_path / "run.db", error), DiskFullError) == is_full
