"""`stressweb grade`: messages about failed and edited episodes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.runner.registry import Library, task_ids
from stressweb.runner.registry.grading import Grader
from tests.runner.commands.command_line import Result
from tests.support.plans import plan as planned


@pytest.mark.parametrize(("debug", "traced"), [((), False), (("--debug",), True)])
def test_errors_and_crashes_are_named_with_their_traceback_if_asked(
    call: Callable[..., Result], existing: Path, debug: tuple[str, ...], traced: bool
) -> None:
    plan = planned(agents=("naive",), tasks=(task_ids()[0],), conditions=("clean", "sham"))
    clean, sham = plan.cells()
    folder = existing.parent.parent / "failed"
    with Store.create(folder / FILE, {"plan": plan.model_dump()}, [clean, sham]) as store:
        grade = Grader(Library()).grade(EpisodeRecord(clean))
        store.save(EpisodeRecord(clean, "crashed", message="no idea", traceback="Traceback of it", grade=grade))
        store.save(EpisodeRecord(sham, "error", message="no browser", traceback="Traceback of ours"))
    status, _, err = call("grade", "failed", *debug)
    assert status == 0
    traces = ["Traceback of it\n", "Traceback of ours\n"] if traced else ["", ""]
    assert err == f"crashed: {clean.key}: no idea\n{traces[0]}error: {sham.key}: no browser\n{traces[1]}"


def test_missing_verdict_fails_counts_a_crashed_tester_as_a_false_alarm(
    call: Callable[..., Result], existing: Path
) -> None:
    plan = planned(agents=("literal",), tasks=("cases/food/new-address",), conditions=("clean", "sham"))
    clean, sham = plan.cells()
    with Store.create(existing.parent.parent / "crashed" / FILE, {"plan": plan.model_dump()}, [clean, sham]) as store:
        grade = Grader(Library()).grade(EpisodeRecord(clean))
        store.save(EpisodeRecord(clean, "crashed", message="no idea", grade=grade))
        store.save(EpisodeRecord(sham, "error", message="no browser", grade=grade))
    for options, (no_verdict, false_alarms) in {(): (1, 0), ("--missing-verdict-fails",): (0, 1)}.items():
        status, out, _ = call("grade", "crashed", "--json", *options)
        rows = {row["condition"]: row for row in json.loads(out)["rows"]}
        figures = rows["clean"]["testing"]
        assert (status, figures["no_verdict"], figures["false_alarms"]) == (0, no_verdict, false_alarms)
        assert figures["outcomes"] == ({"FP": 1} if options else {"passing, no verdict": 1})
        # An error of the infrastructure is in no rate, in either way of counting.
        assert (rows["sham"]["errors"], rows["sham"]["testing"]["passing"]) == (1, 0)


def test_grade_names_edited_episodes_and_does_not_change_them(
    call: Callable[..., Result], edited: tuple[Path, Cell]
) -> None:
    path, cell = edited
    message = f"changed after it was recorded, left out: {cell.key}: its seal does not fit\n"
    for _ in range(2):
        status, out, err = call("grade", "edited", "--json")
        assert (status, err) == (1, message)
        output = json.loads(out)
        assert (output["altered"], output["regraded"]) == ([cell.key], 0)
        assert [row["condition"] for row in output["rows"]] == ["clean"]
    with Store.open(path) as store:
        assert set(store.altered()) == {cell.key}


def test_an_edited_run_gets_no_report(call: Callable[..., Result], edited: tuple[Path, Cell]) -> None:
    path, cell = edited
    status, out, err = call("report", "edited")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"episode {cell.key} of runs/edited/run.db was changed after it was recorded" in err
    assert not (path.parent / "report.html").exists()
