"""Test cases as tasks: their ids, families and tags."""

from stressweb.cases.building import Fault
from stressweb.cases.case_task import CaseTask
from stressweb.plugins.task import Task
from stressweb.runner.registry import Library


def test_the_cases_of_a_task_are_one_family_numbered_by_kind() -> None:
    task = Library().tasks("shop")["shop/checkout"]
    assert isinstance(task, Task)
    alone = task.model_copy(update={"family": ""})
    faults = [Fault("wrong_text", 2), Fault("dead_button", 3), Fault("wrong_count", 4)]
    cases = [*CaseTask.of(alone, faults)]
    own = "cases/shop/checkout"
    assert [case.id for case in cases] == [own, f"{own}#F1", f"{own}#B1", f"{own}#F2"]
    assert [case.fault for case in cases] == [None, *faults]
    assert {case.family for case in cases} == {"checkout"}
    assert [case.tags[-1] for case in cases] == ["passing", "failing", "failing", "failing"]
    assert all(case.tags[:-1] == task.tags for case in cases)
    # Tasks of one family have cases of one family.
    assert {case.family for case in CaseTask.of(task.model_copy(update={"family": "buying"}), faults)} == {"buying"}
