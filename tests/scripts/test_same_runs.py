"""The comparison of two recorded runs reports each difference and nothing else."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.same_runs import comparison, content, differences, main
from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.checks import Grade
from stressweb.plugins.database import TableChange
from tests.support.made_runs import plan_of, write_run

CELL = Cell(agent="naive", task="shop/x", condition="clean", world=0)
PAGE = Shown("http://shop.test/", "<p>twelve orchids</p>", boxes=((0.0, 0.0, 10.0, 10.0), None))
CLICK = StepRecord(PAGE, Action(kind="CLICK", selector="a"), Outcome(ok=True))
ENTRIES = [Entry(step=1, mode="chaos", phase="delivered", count=count) for count in (5, 6)]


def episode() -> EpisodeRecord:
    return EpisodeRecord(
        CELL,
        "done",
        "done",
        steps=[StepRecord(PAGE), CLICK],
        closings={"/cart": Shown("http://shop.test/cart", "<p>empty</p>")},
        ledger=[*ENTRIES],
        grade=Grade({"goal": True}, {}, verdict=True),
    )


def run(folder: Path, record: EpisodeRecord) -> Path:
    folder.mkdir()
    with Store.create(folder / FILE, {}, [CELL]) as store:
        store.save(record)
    return folder


def change(**fields: Any) -> Callable[[EpisodeRecord], None]:
    def changed(record: EpisodeRecord) -> None:
        for name, value in fields.items():
            setattr(record, name, value)

    return changed


def shows(**fields: Any) -> Callable[[EpisodeRecord], None]:
    """Return a change of the second page."""
    return change(steps=[StepRecord(PAGE), replace(CLICK, page=replace(PAGE, **fields))])


SOLD = {"cart": TableChange(("id",), (Entity(id=1),))}
CASES: dict[str, tuple[Callable[[EpisodeRecord], None], str, str]] = {
    "status": (change(status="gave_up"), "status", "done | gave_up"),
    "claim": (change(claim="failed"), "claim", "done | failed"),
    "grade": (change(grade=Grade({"goal": False}, {}, verdict=True)), "grade", "False"),
    "database": (change(final=SOLD), "final", "cart"),
    "ledger": (change(ledger=ENTRIES[:1]), "ledger", "1 chaos delivered 0 6 | "),
    "order": (change(ledger=ENTRIES[::-1]), "ledger", "the same lines in another order"),
    "evidence": (change(closings={}), "evidence page", "/cart: "),
    "steps": (change(steps=[CLICK]), "number of steps", "2 | 1"),
    "action": (
        change(steps=[StepRecord(PAGE), replace(CLICK, action=Action(kind="GO_BACK"))]),
        "action",
        "step 1: kind='CLICK'",
    ),
    "outcome": (
        change(steps=[StepRecord(PAGE), replace(CLICK, outcome=Outcome(ok=False, reason="covered by"))]),
        "outcome",
        "covered by",
    ),
    "document": (
        shows(html="<p>twelve lilies</p>"),
        "page html",
        "step 1: <p>twelve orchids</p> | <p>twelve lilies</p>",
    ),
    "box": (shows(boxes=((0.0, 0.0, 10.0, 12.5), None)), "page boxes", "step 1: 1 of 2 elements, by at most 2.5 px"),
    "hidden": (shows(boxes=(None, None)), "page boxes", "step 1: 1 of 2 elements"),
    "elements": (shows(boxes=()), "page boxes", "step 1: of 2 | 0 elements"),
    "tab": (shows(tabs=("Shop",)), "page tabs", "() | ('Shop',)"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_difference_is_named_with_both_values(case: str, tmp_path: Path) -> None:
    changed, part, words = CASES[case]
    changed_episode = episode()
    changed(changed_episode)
    runs = [
        content(run(tmp_path / name, record))[CELL.key] for name, record in (("a", episode()), ("b", changed_episode))
    ]
    assert [*differences(runs[0], runs[0])] == []
    first, *_ = differences(*runs)
    assert first.part == part
    assert words in first.words


def test_times_are_no_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    later = episode()
    later.seconds = 9.0
    later.steps[1] = replace(later.steps[1], seconds=3.0)
    folders = [str(run(tmp_path / "a", episode())), str(run(tmp_path / "b", later))]
    assert main(folders) == 0
    assert capsys.readouterr().out == "1 episode, 1 the same, 0 not\n"


def test_each_episode_that_is_another_is_named_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = plan_of(tasks=2, conditions=("remap@3",))
    worse = plan.tasks[-1]
    folders = [
        str(write_run(tmp_path / "a", plan=plan)),
        str(write_run(tmp_path / "b", outcome=lambda cell: cell.task != worse, plan=plan)),
    ]
    keys = [cell.key for cell in plan.cells()]
    assert main(folders) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line in keys] == [key for key in keys if worse in key]
    assert lines[-2:] == ["4 episodes, 2 the same, 2 not", "  grade: 2 episodes"]


def test_runs_of_other_cells_are_not_compared(tmp_path: Path) -> None:
    runs = [content(write_run(tmp_path / str(tasks), plan=plan_of(tasks=tasks))) for tasks in (1, 2)]
    with pytest.raises(UserError, match=r"3 episodes in only one of the runs, such as "):
        [*comparison(*runs)]


@pytest.mark.parametrize("arguments", [[], ["a"], ["a", "b", "c"], ["nowhere", "nowhere"]])
def test_invalid_arguments_are_reported_in_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
