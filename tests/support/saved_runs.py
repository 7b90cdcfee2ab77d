"""Synthetic runs of two tasks, written as a run writes them."""

from collections.abc import Callable, Mapping
from pathlib import Path

from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.checks import Grade
from stressweb.runner.registry import task_ids
from tests.support.plans import plan

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
