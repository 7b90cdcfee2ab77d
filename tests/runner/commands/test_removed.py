"""All readers refuse a run from which data was removed; for an unfinished run they report what is missing."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

import stressweb as sw
from stressweb.core.errors import AlteredError
from stressweb.log.recording import EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.runner.registry import Library, task_ids
from stressweb.runner.registry.grading import Grader
from tests.runner.commands.command_line import Result
from tests.support.plans import plan as planned
from tests.support.zip_files import database, fitted, members, write

pytestmark = pytest.mark.sample(20, "file")

type Call = Callable[..., Result]
PLAN = planned(agents=("naive",), tasks=task_ids()[:3], conditions=("clean", "remap@3"))
CELLS = PLAN.cells()
GRADER = Grader(Library())
READERS = ("report one", "export one", "bundle one", "curves one", "compare other one", "compare one other")


def record(folder: Path, count: int = len(CELLS)) -> Path:
    """Record `count` episodes of agents that did nothing."""
    about = {task: {"family": "one"} for task in PLAN.tasks}
    identities = {cell.key: cell.task + cell.condition for cell in CELLS}
    with Store.create(folder / FILE, {"plan": PLAN.model_dump(), "tasks": about}, CELLS, identities) as store:
        for number, cell in enumerate(CELLS[:count]):
            page = Shown(f"http://site.test/{number}", f"<html><body>{number}</body></html>")
            episode = EpisodeRecord(cell, "done", "done", steps=[StepRecord(page)], seconds=number)
            episode.grade = GRADER.grade(episode)
            store.save(episode)
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    record(tmp_path / "runs" / "one")
    record(tmp_path / "runs" / "other")
    return tmp_path / "runs"


def edit(folder: Path, *statements: str) -> None:
    connection = sqlite3.connect(folder / FILE)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


REMOVED = [f"DELETE FROM {table} WHERE cell = '{CELLS[1].key}'" for table in ("episode", "step", "closing", "ledger")]
CHANGES: dict[str, tuple[list[str], str]] = {
    "an episode": (REMOVED, f"1 of 6 recorded episodes was removed: {CELLS[1].key}"),
    "families": (["UPDATE meta SET value = '{}' WHERE name = 'tasks'"], "what it knows of its tasks, was changed"),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("command", [*READERS, "run --resume --run one --agent naive"])
def test_a_run_with_removed_data_is_refused(call: Call, runs: Path, what: str, command: str) -> None:
    statements, message = CHANGES[what]
    edit(runs / "one", *statements)
    status, out, err = call(*command.split())
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"{FILE} was changed after it was recorded: " in err
    assert message in err
    assert {path.name for path in (runs / "one").iterdir()} == {FILE}


@pytest.mark.parametrize("what", CHANGES)
def test_grade_names_it_and_fails(call: Call, runs: Path, what: str) -> None:
    assert call("grade", "one")[0] == 0
    statements, message = CHANGES[what]
    edit(runs / "one", *statements)
    for _ in range(2):
        status, _, err = call("grade", "one")
        assert (status, message in err) == (1, True)
    status, out, _ = call("grade", "one", "--json")
    assert (status, message in json.loads(out)["misfit"]) == (1, True)


def test_the_python_api_refuses_it_too(runs: Path) -> None:
    edit(runs / "one", *REMOVED)
    run = sw.open_run(runs / "one")
    for read in (run.episodes, run.results, run.curves, run.table, run.report, run.bundle, lambda: list(run.steps()),
                 lambda: list(run.ledger()), lambda: run.export("csv")):  # fmt: skip
        with pytest.raises(AlteredError, match="1 of 6 recorded episodes was removed"):
            read()
    assert run.grade()["altered"] == {"run": f"1 of 6 recorded episodes was removed: {CELLS[1].key}"}


@pytest.mark.parametrize("what", CHANGES)
def test_a_bundle_that_was_changed_within_is_refused(call: Call, runs: Path, tmp_path: Path, what: str) -> None:
    """The bundle's hashes fit, because it was packed again after the change."""
    assert call("bundle", "one")[0] == 0
    parts = members(runs / "one" / "one.zip")
    statements, message = CHANGES[what]
    parts[FILE] = database(parts[FILE], tmp_path, *statements)
    write(tmp_path / "again.zip", fitted(parts))
    status, _, err = call("grade", "again.zip")
    assert (status, message in err) == (2, True)


def test_an_unfinished_run_says_what_is_missing(call: Call, tmp_path: Path) -> None:
    record(tmp_path / "runs" / "half", 4)
    record(tmp_path / "runs" / "other")
    message = "half is not finished: 2 of 6 episodes are missing (clean 1, remap@3 1)"
    cure = "run them with: stressweb run --resume --run half"
    status, out, _ = call("grade", "half")
    assert (status, message in " ".join(out.split()), cure in " ".join(out.split())) == (0, True, True)
    for command in ("report half", "export half", "bundle half", "curves half"):
        status, _, err = call(*command.split())
        assert (status, message in err, cure in err) == (0, True, True), command
    assert "run half is not finished: 2 of 6 episodes are missing" in call("compare", "other", "half")[2]
    rows = json.loads(call("grade", "half", "--json")[1])
    assert (rows["planned"], rows["missing"]) == (6, 2)
    # Wide enough for the path of the run, which could wrap at any character.
    table = sw.open_run(tmp_path / "runs" / "half").table(width=300)
    assert message in " ".join(table.split())
    assert "not finished" not in call("grade", "other")[1]


def test_a_run_elsewhere_is_continued_there(call: Call, tmp_path: Path) -> None:
    record(tmp_path / "there" / "half", 4)
    _, out, _ = call("grade", "half", "--runs-dir", "there")
    assert "stressweb run --resume --run half --runs-dir there" in " ".join(out.split())


@pytest.mark.parametrize("to", ["csv", "jsonl", "inspect"])
def test_a_run_with_a_changed_page_is_not_exported(call: Call, runs: Path, to: str) -> None:
    if to == "inspect":
        pytest.importorskip("inspect_ai", reason="an extra")
    edit(
        runs / "one",
        f"UPDATE blob SET data = x'00' WHERE hash = (SELECT state FROM step WHERE cell = '{CELLS[2].key}')",
    )
    status, out, err = call("export", "one", "--to", to)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"episode {CELLS[2].key} of " in err
    assert "was changed after it was recorded" in err
    assert {path.name for path in (runs / "one").iterdir()} == {FILE}
