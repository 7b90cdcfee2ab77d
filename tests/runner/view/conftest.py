"""Synthetic runs for the list."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from runner.registry import task_ids
from runner.view.app import create_app
from runner.view.reports import Reports
from runner.view.runs import Runs
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.checks import Grade
from tests.plans import plan

type Fails = Callable[[Cell], bool]

PAGE = Shown("http://shop.test/", "<html><body>Shop</body></html>")


def episode(cell: Cell, *, success: bool, status: str = "done") -> EpisodeRecord:
    """Return an episode of two steps that claims to be done."""
    if status == "error":
        return EpisodeRecord(cell, message="the browser crashed", steps=[StepRecord(PAGE)])
    steps = [StepRecord(PAGE), StepRecord(PAGE, Action(kind="DONE"), Outcome(ok=True))]
    grade = Grade({"saw it": success}, {}, verdict=success)
    ledger = (
        [Entry(step=1, mode="remap", phase="delivered", element="button 'Buy'")] if cell.condition != "clean" else []
    )
    return EpisodeRecord(cell, "done", "done", "All done.", steps, {}, {}, ledger, grade, seconds=1.0)


def saved(
    folder: Path,
    fails: Fails = lambda cell: cell.condition != "clean",
    *,
    agents: tuple[str, ...] = ("naive",),
    done: int = 100,
    errors: int = 0,
    identities: Mapping[str, str] | None = None,
) -> Path:
    """Write a run of two tasks under two conditions with `done` episodes, the last `errors` of them errors."""
    planned = plan(agents, task_ids()[:2], ("clean", "remap@3"))
    cells = planned.cells()
    known = {cell.key: "same" for cell in cells} | dict(identities or {})
    meta = {"plan": planned.model_dump(), "version": "0.1.0", "suite": "suite 1"}
    with Store.create(folder / FILE, meta, cells, known) as store:
        recorded = cells[:done]
        for number, cell in enumerate(recorded):
            status = "error" if number >= len(recorded) - errors else "done"
            store.save(episode(cell, success=not fails(cell), status=status))
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three runs: a finished one, an unfinished one with an error, and an unreadable one."""
    runs = tmp_path / "runs"
    saved(runs / "first")
    saved(runs / "second", lambda cell: False, done=3, errors=1)
    (runs / "broken").mkdir()
    (runs / "broken" / FILE).write_bytes(b"SQLite format 3\x00" + b"x" * 200)
    (runs / "notes").mkdir()
    return runs


@pytest.fixture
def client(folder: Path) -> Iterator[FlaskClient]:
    """A client of the application for that folder, at this machine's address."""
    reports = Reports()
    client = create_app(Runs(folder), reports).test_client()
    client.environ_base["HTTP_HOST"] = "127.0.0.1:8090"
    yield client
    reports.close()
