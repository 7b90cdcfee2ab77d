"""The list of runs summarises each run, reads a changed run again, and writes nothing."""

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.log.store import FILE, Store
from stressweb.runner.view.runs import ACTIVE_S, Runs, RunSummary, SuccessCount
from tests.runner.view.folder_state import state
from tests.support.saved_runs import episode, saved


def test_a_summary_has_the_figures_of_the_run(folder: Path) -> None:
    by_name = {run.name: run for run in Runs(folder).summaries()}
    assert set(by_name) == {"first", "second", "broken"}
    first, second = by_name["first"], by_name["second"]
    assert (first.agents, first.conditions, first.tasks) == (("naive",), ("clean", "remap@3"), 2)
    assert (first.total, first.done, first.failed, first.errors, first.finished) == (4, 4, 2, 0, True)
    assert first.clean == {"naive": SuccessCount(2, 2)}
    assert first.stressed == {"naive": SuccessCount(0, 2)}
    assert (second.total, second.done, second.failed, second.errors, second.finished) == (4, 3, 0, 1, False)
    assert (first.suite, first.version) == ("suite 1", "0.1.0")


def test_a_run_that_cannot_be_read_is_listed_with_the_reason(folder: Path) -> None:
    broken = Runs(folder).summary("broken")
    assert f"{folder / 'broken' / FILE} has schema version" in broken.broken
    assert not broken.finished
    assert not broken.active


def test_an_episode_that_was_changed_is_found_when_the_run_is_opened(folder: Path) -> None:
    with sqlite3.connect(folder / "first" / FILE) as connection:
        connection.execute("UPDATE episode SET steps = 99")
    connection.close()
    runs = Runs(folder)
    assert runs.summary("first").broken == ""
    with pytest.raises(UserError, match="was changed after it was recorded"):
        runs.content("first")


@pytest.mark.parametrize("column", ["grade", "status"])
def test_invalid_values_are_reported_as_the_reason(folder: Path, column: str) -> None:
    with sqlite3.connect(folder / "first" / FILE) as connection:
        connection.execute(f"UPDATE episode SET {column} = '[1'")
    connection.close()
    broken = Runs(folder).summary("first").broken
    assert "holds what stressweb does not record" in broken or "is damaged" in broken


def test_new_episodes_are_seen(folder: Path) -> None:
    runs = Runs(folder)
    assert runs.summary("second").done == 3
    with Store.open(folder / "second" / FILE) as store:
        (last,) = [cell for cell in store.pending() if not store.has(cell)]
        store.save(episode(last, success=True))
        # Still in the write-ahead log of an open store, as during a run.
        assert runs.summary("second").done == 4
    assert runs.summary("second").done == 4


def test_an_unchanged_run_is_not_read_again(folder: Path) -> None:
    runs = Runs(folder)
    before = runs.summary("first")
    # Damage the content, but keep the size and the time of the file.
    path = folder / "first" / FILE
    stat = path.stat()
    path.write_bytes(bytes(stat.st_size))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert runs.summary("first") == before
    os.utime(path)
    assert runs.summary("first") != before


def test_an_unfinished_run_is_active_as_long_as_it_is_written_to() -> None:
    import time

    assert RunSummary("a", time.time(), total=2, done=1).active
    assert not RunSummary("a", time.time() - ACTIVE_S - 1, total=2, done=1).active
    assert not RunSummary("a", time.time(), total=2, done=2).active


def test_reading_leaves_every_file_as_it_is(folder: Path) -> None:
    before = state(folder)
    runs = Runs(folder)
    runs.summaries()
    runs.content("first")
    assert state(folder) == before


def test_a_run_is_found_only_by_its_name(folder: Path, tmp_path: Path) -> None:
    saved(tmp_path / "outside")
    saved(folder / "sweep" / "inner")
    runs = Runs(folder)
    assert "sweep/inner" in runs.names()
    for name in ("../outside", str(tmp_path / "outside"), "notes", "", "first/"):
        with pytest.raises(UserError, match="there is no run"):
            runs.path(name)


def test_the_folder_may_be_a_run_itself(folder: Path) -> None:
    (only,) = Runs(folder / "first").summaries()
    assert (only.name, only.done) == (".", 4)


def test_a_run_that_vanishes_is_no_longer_listed(folder: Path) -> None:
    runs = Runs(folder)
    runs.summaries()
    shutil.rmtree(folder / "first")
    assert "first" not in [run.name for run in runs.summaries()]
