"""Sharing the work on a run among processes: results and failures are the same as in one process."""

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from stressweb.core.errors import AlteredError, UserError
from stressweb.core.process_tree import family
from stressweb.log.store import FILE, Store
from stressweb.plugins.checks import Grade
from stressweb.runner.outcome import sharing
from stressweb.runner.outcome.regrading import Regraded, regrade
from stressweb.runner.outcome.reporting import write
from stressweb.runner.outcome.results import graded, listed
from stressweb.runner.outcome.sharing import processes, shared
from stressweb.runner.registry import Library
from tests.support.report_sizes import use_side_files

GOLDEN = Path(__file__).parents[2] / "golden" / FILE


type Share = Callable[[int], None]


@pytest.fixture
def share(monkeypatch: pytest.MonkeyPatch) -> Share:
    """`share(2)`: divide the work on runs of any size among two processes."""
    return lambda count: monkeypatch.setattr(sharing, "processes", lambda kind, episodes: count)


def copied(folder: Path) -> Path:
    folder.mkdir()
    (folder / FILE).write_bytes(GOLDEN.read_bytes())
    return folder / FILE


def spoiled_copy(folder: Path) -> Path:
    """Return a copy of the golden run with a wrong grade, an edited message and a replaced page."""
    path = copied(folder)
    with Store.open(path) as store:
        first, second, *_ = store.finished()
        store.regrade({first.key: Grade({"never": True}, {}, None)})
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE episode SET message = 'edited' WHERE cell = ?", (second.key,))
        # A page of as few episodes as possible, neither of which is altered otherwise.
        (page,) = connection.execute(
            "SELECT state FROM step GROUP BY state HAVING sum(cell IN (?, ?)) = 0 ORDER BY count(DISTINCT cell) LIMIT 1",
            (first.key, second.key),
        ).fetchone()
        other = connection.execute("SELECT data FROM blob WHERE hash <> ? LIMIT 1", (page,)).fetchone()
        connection.execute("UPDATE blob SET data = ? WHERE hash = ?", (*other, page))
    return path


def regraded(path: Path) -> tuple[Regraded, dict[str, Grade | None]]:
    with Store.open(path) as store:
        regraded_run = regrade(store, Library(), graded=True)
        # The episodes have their new grades, and altered ones are left out.
        assert regraded_run.graded == graded(store, regraded_run.altered)
        return regraded_run, {
            episode.cell.key: episode.grade for episode in store.episodes(without=regraded_run.altered)
        }


@pytest.mark.sample(1, "processes")
def test_two_processes_find_the_same_grades_and_altered_episodes(tmp_path: Path, share: Share) -> None:
    share(2)
    shared_out = regraded(spoiled_copy(tmp_path / "shared"))
    share(1)
    single = regraded(spoiled_copy(tmp_path / "alone"))
    assert shared_out == single
    changed, altered, _ = single[0]
    assert (len(changed), len(altered)) == (1, 2)
    assert sorted(misfit.partition(" ")[0] for misfit in altered.values()) == ["content", "its"]
    assert [before for before, _ in changed.values()] == [Grade({"never": True}, {}, None)]


@pytest.mark.sample(1, "processes")
def test_two_processes_read_the_rows_that_one_reads(share: Share) -> None:
    share(2)
    with Store.read(GOLDEN) as store:
        left_out = store.finished()[3].key
        shared_out = graded(store, {left_out}), listed(store)
        share(1)
        assert (graded(store, {left_out}), listed(store)) == shared_out
        assert [row.graded for row in listed(store)] == graded(store)
    assert any(row.brief.failure_point for row in shared_out[1])


@pytest.mark.sample(1, "processes")
def test_two_processes_write_the_report_that_one_writes(
    tmp_path: Path, share: Share, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_side_files(monkeypatch)
    reports = []
    for name, among in (("shared", 2), ("alone", 1)):
        share(among)
        (tmp_path / name).mkdir()
        written = write(GOLDEN.parent, tmp_path / name / "report.html")
        assert written.folder
        files = {path.name: path.read_bytes() for path in written.folder.iterdir()}
        reports.append(((tmp_path / name / "report.html").read_bytes(), files))
    assert reports[0] == reports[1]
    assert len(reports[0][1]) == 8


@pytest.mark.sample(1, "processes")
def test_a_failure_in_a_process_is_raised_again(tmp_path: Path) -> None:
    path = spoiled_copy(tmp_path / "run")
    with Store.read(path) as store:
        cells = store.finished()
        with pytest.raises(AlteredError) as alone:
            graded(store)
    with pytest.raises(AlteredError) as shared_out:
        list(shared("rows", path, cells, {}, 2))
    assert str(shared_out.value) == str(alone.value)
    with pytest.raises(UserError, match="does not exist"):
        list(shared("rows", tmp_path / "nothing.db", cells, {}, 2))
    # An internal error carries the traceback of its process.
    with pytest.raises(RuntimeError, match=r"(?s)Traceback.*KeyError"):
        list(shared("details", copied(tmp_path / "good"), cells, {}, 2))


@pytest.mark.sample(1, "processes")
def test_processes_end_with_their_reader(tmp_path: Path) -> None:
    with Store.read(GOLDEN) as store:
        cells = store.finished()
    before = family(os.getpid())
    results = shared("grades", copied(tmp_path / "run"), cells, {}, 2)
    assert json.dumps(next(results)) == "{}"
    assert len(family(os.getpid()) - before) == 2
    results.close()  # type: ignore[attr-defined]
    assert family(os.getpid()) <= before


def test_few_episodes_are_no_reason_to_start_a_process() -> None:
    assert [processes("grades", count, 4) for count in (0, 8, 299, 300, 450, 10_000)] == [1, 1, 1, 2, 3, 4]
