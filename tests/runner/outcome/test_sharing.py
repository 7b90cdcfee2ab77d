"""Sharing the work on a run among processes: results and failures are the same as in one process."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stressweb.core.errors import AlteredError, UserError
from stressweb.core.process_tree import descendants_of
from stressweb.log.recording import Cell
from stressweb.log.store import FILE, Store
from stressweb.plugins.checks import Grade
from stressweb.runner.outcome.regrading import grades_of
from stressweb.runner.outcome.reporting import details_of
from stressweb.runner.outcome.results import graded, rows_of
from stressweb.runner.outcome.sharing import Kind, processes, shared

GOLDEN = Path(__file__).parents[2] / "golden" / FILE


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


WORK: dict[Kind, Callable[..., Iterator[Any]]] = {"rows": rows_of, "grades": grades_of, "details": details_of}


def single(kind: Kind, path: Path, cells: Sequence[Cell], settings: Mapping[str, Any]) -> list[Any]:
    """Return the answers of this process."""
    with Store.read(path) as store:
        # Answers of a process are JSON, which has no tuples.
        answers: list[Any] = json.loads(json.dumps([*WORK[kind](store, cells, settings)]))
        return answers


def everything(path: Path) -> tuple[list[Cell], dict[str, Any]]:
    """Return the finished cells of a run, and settings that ask for all that any kind of work can give."""
    with Store.read(path) as store:
        cells = store.finished()
    episodes = dict(enumerate(single("rows", GOLDEN, cells, {}), 1))
    numbered = {cell.key: (number, episodes[number]["graded"]) for number, cell in enumerate(cells, 1)}
    wanted = {"brief": True, "graded": True}
    return cells, {**wanted, "episodes": numbered, "swallowing": ["remap"], "causes": {}, "clean_failures": []}


@pytest.mark.sample(1, "processes")
@pytest.mark.parametrize("kind", WORK)
def test_two_processes_answer_what_one_answers(kind: Kind) -> None:
    cells, settings = everything(GOLDEN)
    answers = list(shared(kind, GOLDEN, cells, settings, 2))
    assert len(answers) == 8
    assert all(answers)
    assert answers == single(kind, GOLDEN, cells, settings)


@pytest.mark.sample(1, "processes")
def test_two_processes_find_the_same_grades_and_altered_episodes(tmp_path: Path) -> None:
    path = spoiled_copy(tmp_path / "run")
    cells, settings = everything(path)
    answers = list(shared("grades", path, cells, settings, 2))
    assert answers == single("grades", path, cells, settings)
    assert sorted(answer["misfit"].partition(" ")[0] for answer in answers if "misfit" in answer) == ["content", "its"]
    assert [Grade.read(answer["before"]) for answer in answers if "after" in answer] == [
        Grade({"never": True}, {}, None)
    ]


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
    before = descendants_of(os.getpid())
    results = shared("grades", copied(tmp_path / "run"), cells, {}, 2)
    assert json.dumps(next(results)) == "{}"
    assert len(descendants_of(os.getpid()) - before) == 2
    results.close()  # type: ignore[attr-defined]
    assert descendants_of(os.getpid()) <= before


def test_few_episodes_are_no_reason_to_start_a_process() -> None:
    assert [processes("grades", count, 4) for count in (0, 8, 299, 300, 450, 10_000)] == [1, 1, 1, 2, 3, 4]
