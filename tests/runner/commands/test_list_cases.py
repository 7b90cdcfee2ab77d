"""`stressweb list cases`: counts, or the cases of a site."""

from collections import Counter
from pathlib import Path

import pytest

from stressweb import sites
from stressweb.cases.bugs import BUGS
from stressweb.cases.building import Fault
from stressweb.cases.case_file import read_cases
from stressweb.cases.case_task import CaseTask
from stressweb.cases.operators import OPERATORS
from stressweb.core.errors import UserError
from stressweb.core.task_id import TaskId
from stressweb.log.plan import limited
from stressweb.runner.commands.list import show
from stressweb.runner.commands.list_cases import STEPS, counts, lines
from stressweb.runner.registry import SITES, Library, chosen_tasks

LIBRARY = Library()


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


def test_more_cases_ship_than_the_paper_has() -> None:
    """62 passing and 51 failing ones there; here also bugs on every site, and failures at every step."""
    rows = [row for row in lines(None) if row["site"] in sites.names()]
    by_kind = Counter[str]()
    for row in rows:
        by_kind["bug" if row["kind"] in BUGS else "passing" if row["kind"] == "passing" else "text"] += row["cases"]
    assert by_kind["passing"] >= 62
    assert by_kind["text"] >= 51
    assert by_kind["bug"] >= 30
    assert by_kind.total() >= 300
    assert {row["site"] for row in rows if row["kind"] in BUGS} == {*sites.names()}
    for kind in ("passing", *OPERATORS):
        assert len({row["site"] for row in rows if row["kind"] == kind}) >= 3, kind
    assert {row["kind"] for row in rows} == {"passing", *OPERATORS, *BUGS}
    failing = by_kind["text"] + by_kind["bug"]
    at_steps = {column: sum(row[column] for row in rows) for column in STEPS}
    assert sum(at_steps.values()) == failing
    assert all(failing / 14 <= count <= failing / 4 for count in at_steps.values()), at_steps


def test_every_task_is_a_test_case_or_rejected_with_a_reason() -> None:
    for site in sites.names():
        proven, tasks = read_cases(sites.folder_of(site)), {TaskId.read(task).name for task in LIBRARY.tasks(site)}
        # A rejected failing case has its fault after the name of the task.
        rejected = {name for name, reason in proven.rejected.items() if reason and " " not in name}
        assert sorted([*proven.cases, *rejected]) == sorted(tasks), site


def test_a_limit_takes_cases_from_each_site_in_turn() -> None:
    every = chosen_tasks("cases")
    assert len(every) == sum(len(LIBRARY.cases(site)) for site in SITES.working())
    first = [case for case in limited(every, 20) if TaskId.read(case).site in sites.names()]
    by_site = Counter(TaskId.read(case).site for case in first)
    assert set(by_site) == {*sites.names()}
    assert max(by_site.values()) - min(by_site.values()) <= 1


def test_the_cases_of_a_site_are_listed_one_by_one() -> None:
    listed = lines("ride")
    assert len(listed) > 36
    assert {line["case"].split("/")[1] for line in listed if line["kind"] != "rejected"} == {"ride"}
    for line in listed:
        if line["kind"] == "rejected":
            assert line["why"]
            assert line["case"].partition(" ")[0] in {TaskId.read(case).name for case in LIBRARY.tasks("ride")}
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
