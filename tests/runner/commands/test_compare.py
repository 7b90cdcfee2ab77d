"""`stressweb compare`: output, exit statuses, JUnit XML, and errors for runs that cannot be compared."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from stressweb.log.recording import Cell
from stressweb.log.store import FILE, Store
from tests.runner.commands.command_line import Result
from tests.support.made_runs import plan_of, write_run

pytestmark = pytest.mark.sample(10, "file")

type Call = Callable[..., Result]
FIRST, OTHER = plan_of().tasks[:2]
"""The first two tasks of every run here, one of each site."""


def without_remap(cell: Cell) -> bool:
    return cell.condition != "remap@3"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """The folder of runs, with a baseline."""
    write_run(tmp_path / "runs" / "base")
    return tmp_path / "runs"


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_equal_runs_are_unchanged(call: Call, runs: Path) -> None:
    write_run(runs / "new")
    status, out, err = call("compare", "base", "new")
    assert (status, err) == (0, "")
    assert "robustness  unchanged (90)" in out
    assert "clean       unchanged (30)" in out
    assert "100 % equal" in out
    assert call("compare", "new", "--baseline", "base")[:2] == (status, out)
    assert call("compare", "new", STRESSWEB_BASELINE="base")[:2] == (status, out)


def test_a_regression_has_status_1_and_names_what_fails_with_a_command(call: Call, runs: Path) -> None:
    """Each run has one agent, so they are compared without an option, and the output says so."""
    write_run(runs / "new", without_remap, plan_of(agents=["resilient(-gesture)"]))
    status, out, err = call("compare", "base", "new")
    assert status == 1
    assert err == "stressweb: resilient(-gesture) is compared with resilient, the only agent of the other run\n"
    assert "robustness  regressed: −50 points [−65, −29], p <.001" in out
    assert "67 % equal" in out
    assert f"stressweb run --task {FIRST} --agent 'resilient(-gesture)' --mode remap@3\n" in out
    assert "and 20 more tasks" in out
    status, out, _ = call("compare", "base", "new", "--json")
    output = json.loads(out)
    assert (status, output["status"], output["agents"][0]["robustness"]["verdict"]) == (1, 1, "regressed")
    assert len(output["agents"][0]["replays"]) == 30


def test_the_replay_command_names_the_cell(call: Call, runs: Path) -> None:
    plan = plan_of(stress=(3, 4), epochs=2, seed=7)
    write_run(runs / "old", plan=plan)
    write_run(runs / "new", lambda cell: cell.key != f"{FIRST}|resilient|remap@3|7|4|1", plan)
    _, out, _ = call("compare", "old", "new")
    assert (
        f"stressweb run --task {FIRST} --agent resilient --mode remap@3 --seed 7 --stress-seeds 4 --epochs 2\n"
    ) in out
    assert call("run", "--dry-run", "--task", "shop/profile", "--stress-seeds", "4", "--seed", "7")[0] == 0


BUDGET = {"max_steps": 7, "agent_seconds": 2.5, "agent_tokens": 9000, "cost_limit": 0.5}


def test_the_replay_command_has_the_limits_of_the_run(call: Call, runs: Path) -> None:
    plan = plan_of().model_copy(update=BUDGET)
    write_run(runs / "old", plan=plan)
    write_run(runs / "new", lambda cell: cell.key != f"{FIRST}|resilient|remap@3|0|0|0", plan)
    _, out, _ = call("compare", "old", "new")
    (command,) = [line.strip() for line in out.splitlines() if "stressweb run" in line]
    assert command.endswith("--mode remap@3 --max-steps 7 --agent-seconds 2.5 --agent-tokens 9000 --cost-limit 0.5")
    _, out, _ = call(*command.replace(FIRST, "shop/profile").split()[1:], "--dry-run", "--json")
    planned = json.loads(out)["plan"]
    assert {name: planned[name] for name in BUDGET} == BUDGET


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ({"max_steps": 7}, "100 steps in the baseline and 7 steps now"),
        ({"agent_seconds": 2.5}, "100 steps in the baseline and 100 steps, 2.5 s now"),
        ({"agent_tokens": 9000}, "100 steps in the baseline and 100 steps, 9,000 tokens now"),
        ({"cost_limit": 0.5}, "100 steps in the baseline and 100 steps, 0.5 USD now"),
        ({"agent_seconds": 1e6 + 1}, "and 100 steps, 1000001 s now"),
        (BUDGET, "and 7 steps, 2.5 s, 9,000 tokens, 0.5 USD now"),
    ],
)
def test_different_limits_are_named_as_the_reason(call: Call, runs: Path, budget: dict[str, Any], message: str) -> None:
    write_run(runs / "new", plan=plan_of().model_copy(update=budget), version=lambda cell: "other limits")
    status, _, err = call("compare", "base", "new")
    assert status == 2
    assert "runs base and new share no cell: an episode may take 100 steps in the baseline and " in err
    assert message in err


def test_too_few_blocks_have_status_3(call: Call, runs: Path) -> None:
    write_run(runs / "new", missing=lambda cell: cell.task < "shop/task-14")
    status, out, _ = call("compare", "base", "new")
    assert status == 3
    assert out.count("not comparable") == 2
    assert "continue it with --resume" in out


NO_VERDICT = [
    # Number of tasks, newly failing tasks, exit status, start of the first line.
    (1, 1, 4, "resilient: 1 of 1 task newly fails; too few for a test (1, need 6)"),
    (4, 2, 4, "resilient: 2 of 4 tasks newly fail; too few for a test (4, need 6)"),
    (5, 5, 4, "resilient: 5 of 5 tasks newly fail; too few for a test (5, need 6)"),
    (5, 0, 0, "resilient: 5 tasks, "),
    (6, 6, 1, "resilient: 6 tasks, "),
    (12, 5, 4, "resilient: 5 of 12 tasks newly fail; no verdict: the test finds no decline, and the interval"),
    (30, 2, 0, "resilient: 30 tasks, "),
]


@pytest.mark.parametrize(("tasks", "failing", "status", "first_line"), NO_VERDICT)
def test_no_verdict_is_no_pass(
    call: Call, tmp_path: Path, tasks: int, failing: int, status: int, first_line: str
) -> None:
    runs, plan = tmp_path / "runs", plan_of(tasks=tasks, conditions=("remap@3",))
    write_run(runs / "old", plan=plan)
    write_run(runs / "new", lambda cell: cell.condition == "clean" or cell.task not in plan.tasks[:failing], plan)
    actual_status, out, _ = call("compare", "old", "new")
    assert (actual_status, out.startswith(first_line)) == (status, True), out
    ends = [int(end) for span in re.findall(r"\[(.+?), (.+?)\]", out.replace("−", "-")) for end in span]
    assert all(-100 <= end <= 100 for end in ends)
    assert ("no verdict: −" in out) == (status == 4 and tasks < 6)
    assert json.loads(call("compare", "old", "new", "--json")[1])["status"] == status


def test_tasks_of_a_family_count_as_one_unit(call: Call, tmp_path: Path) -> None:
    """Twelve tasks of four families are four units."""
    runs, plan = tmp_path / "runs", plan_of(tasks=12, conditions=("remap@3",))
    about = {task: {"family": f"family-{number // 2 % 2}"} for number, task in enumerate(plan.tasks)}
    for name, outcome in (("old", lambda cell: True), ("new", lambda cell: cell.condition == "clean")):
        with Store.open(write_run(runs / name, outcome, plan) / FILE) as store:
            store.note("tasks", about)
    status, out, _ = call("compare", "old", "new")
    assert status == 4
    assert out.startswith("resilient: 12 of 12 tasks newly fail; too few for a test (4 families, need 6)\n")


def test_agents_are_paired_by_name_or_as_the_user_says(call: Call, runs: Path) -> None:
    write_run(runs / "two", plan=plan_of(agents=["resilient", "naive"]))
    write_run(runs / "new", without_remap, plan_of(agents=["naive", "wander(steps=3)"]))
    status, out, err = call("compare", "two", "new")
    assert (status, "wander(steps=3) is not in the baseline" in err) == (1, True)
    assert out.startswith("naive: ")
    status, out, _ = call("compare", "two", "new", "--agent", "resilient=wander(steps=3)")
    assert status == 1
    assert [line for line in out.splitlines() if "30 tasks" in line] == [
        "wander(steps=3) (baseline: resilient): 30 tasks, 30 of 30 blocks, 90 cells, 67 % equal",
        "naive: 30 tasks, 30 of 30 blocks, 90 cells, 67 % equal",
    ]


MISTAKES = [
    (("compare",), "compare takes two runs, the baseline first, not 0"),
    (("compare", "base"), "compare takes two runs, the baseline first, not 1"),
    (("compare", "base", "new", "--baseline", "base"), "compare takes one run besides --baseline, not 2"),
    (("compare", "base", "nwe"), "unknown run 'nwe'; did you mean new?"),
    (("compare", "base", "version"), "tasks, sites or modes have changed since the baseline; record a new baseline"),
    (("compare", "base", "tasks"), "share no cell: their tasks differ"),
    (("compare", "base", "world"), "share no cell: their world seeds differ (0 and 5); run again with --seed 0"),
    (("compare", "two", "others"), "have no agent in common (resilient, naive and null, talker); pair them with"),
    (("compare", "base", "new", "--agent", "resilient"), "agent 'resilient' is not of the form OLD=NEW"),
    (("compare", "base", "new", "--agent", "resilent=resilient"), "unknown agent 'resilent'; did you mean resilient?"),
    (("compare", "base", "new", "--agent", "resilient=naive"), "unknown agent 'naive'; there are resilient in run new"),
    (("compare", "base", "new", "--junit", "runs/base/run.db"), "exists and is not a JUnit file of stressweb"),
    (("compare", "others", "program", "--agent", "null=mine"), "null is driven by stressweb, and mine=command(a.py) observed: episodes recorded in different ways"),
    (("compare", "base", "new", "--junit", "gone/junit.xml"), "gone/junit.xml cannot be written: gone is not a folder"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), MISTAKES, ids=lambda param: param if isinstance(param, str) else "")
def test_a_mistake_gets_one_line_and_changes_nothing(
    call: Call, runs: Path, arguments: tuple[str, ...], message: str
) -> None:
    write_run(runs / "new")
    write_run(runs / "version", version=lambda cell: "2")
    write_run(runs / "world", plan=plan_of(seed=5))
    other_plan = plan_of(tasks=2)
    write_run(runs / "tasks", plan=other_plan.model_copy(update={"tasks": ("shop/other", "shop/more")}))
    write_run(runs / "two", plan=plan_of(agents=["resilient", "naive"], tasks=2))
    write_run(runs / "program", plan=plan_of(agents=["mine=command(a.py)"], tasks=2))
    write_run(runs / "others", plan=plan_of(agents=["null", "talker"], tasks=2))
    before = files(runs.parent)
    status, out, err = call(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert files(runs.parent) == before


def test_junit_xml_has_the_same_verdicts(call: Call, runs: Path, tmp_path: Path) -> None:
    write_run(runs / "same")
    write_run(runs / "lost", without_remap)
    write_run(runs / "few", lambda cell: (cell.condition, cell.task) != ("remap@3", OTHER))
    write_run(runs / "half", missing=lambda cell: cell.task < "shop/task-14")
    path = tmp_path / "junit.xml"
    for new, counts, kinds in (
        ("same", ("2", "0", "0", "0"), {}),
        ("lost", ("32", "31", "0", "0"), {"robustness": "failure", FIRST: "failure"}),
        ("few", ("3", "0", "0", "1"), {OTHER: "skipped"}),
        ("half", ("2", "0", "2", "0"), {"robustness": "error", "clean": "error"}),
    ):
        call("compare", "base", new, "--junit", str(path))
        suite = valid(path)
        assert tuple(suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")) == counts
        tags = {case.attrib["name"]: next(iter(case)).tag for case in suite if len(case)}
        assert {name: tags[name] for name in kinds} == kinds
        if new == "lost":
            case = next(case for case in suite if case.attrib["name"] == FIRST)
            assert case[0].text == f"stressweb run --task {FIRST} --agent resilient --mode remap@3"


def valid(path: Path) -> ET.Element:
    """Check a file against the parts of Jenkins' schema that we use; return its only suite."""
    root = ET.parse(path).getroot()
    assert root.tag == "testsuites"
    for suite in root:
        assert (suite.tag, "name" in suite.attrib) == ("testsuite", True)
        assert int(suite.attrib["tests"]) == len(suite)
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.attrib[name]) == len(suite.findall(f"testcase/{tag}"))
        for case in suite:
            assert (case.tag, set(case.attrib)) == ("testcase", {"name", "classname"})
            assert [
                element.tag for element in case if element.tag not in ("failure", "error", "skipped", "system-out")
            ] == []
            assert all(set(element.attrib) <= {"message", "type"} for element in case)
    (suite,) = root
    return suite
