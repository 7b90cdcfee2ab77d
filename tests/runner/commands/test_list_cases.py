"""`stressweb list cases`: counts, or the cases of a site."""

from pathlib import Path

import pytest

from stressweb.cases.building import Fault
from stressweb.cases.case_task import CaseTask
from stressweb.core.errors import UserError
from stressweb.core.task_id import TaskId
from stressweb.runner.commands.list import show
from stressweb.runner.commands.list_cases import counts, lines
from stressweb.runner.registry import Library


def case(step: int | None, operator: str = "") -> CaseTask:
    return CaseTask(id=f"cases/toy/a#F{step}", fault=Fault(operator, step) if step else None, family="a")


def test_cases_are_counted_by_kind_and_failing_step() -> None:
    cases = [case(None), case(1, "wrong_text"), case(7, "wrong_text"), case(8, "wrong_text"), case(12, "absent_rule")]
    none = dict.fromkeys(["step 1", "2", "3", "4", "5", "6 to 8", "from 9"], 0)
    assert [*counts("toy", cases)] == [
        {"site": "toy", "kind": "passing", "cases": 1, **none},
        {"site": "toy", "kind": "absent_rule", "cases": 1, **none, "from 9": 1},
        {"site": "toy", "kind": "wrong_text", "cases": 3, **none, "step 1": 1, "6 to 8": 2},
    ]


def test_the_cases_of_a_site_are_listed_one_by_one() -> None:
    listed = lines("ride")
    assert len(listed) > 36
    assert {line["case"].split("/")[1] for line in listed if line["kind"] != "rejected"} == {"ride"}
    for line in listed:
        if line["kind"] == "rejected":
            assert line["why"]
            assert line["case"].partition(" ")[0] in {TaskId.read(case).name for case in Library().tasks("ride")}
        else:
            assert (line["kind"] == "passing") == (line["fails at"] is None) == ("#" not in line["case"])


def test_a_wrong_site_is_named() -> None:
    for kind in ("cases", "tasks", "chains"):
        with pytest.raises(UserError, match="unknown site 'fod'; did you mean food"):
            show(kind, "fod", as_json=False)
    with pytest.raises(UserError, match="--site belongs to `list tasks`, `list chains`, `list cases`, not to `list ag"):
        show("agents", "food", as_json=False)
    with pytest.raises(UserError, match="--output belongs to `list cases`, not to `list tasks`"):
        show("tasks", output=Path("tasks.csv"), as_json=False)
