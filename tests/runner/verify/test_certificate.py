"""A certificate agrees with the episodes, and a sample covers every site and condition."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from stressweb.core.agent_spec import AgentSpec
from stressweb.log.plan import Plan, sampled
from stressweb.log.recording import Cell
from stressweb.log.run_folder import recorded_plan
from stressweb.log.store import FILE, Store
from stressweb.runner.registry import task_ids
from stressweb.runner.verify.certificate import Certificate, Line, headline, markdown, solved
from tests.runner.verify.graded_episodes import graded
from tests.support.plans import condition

pytestmark = pytest.mark.long

LABELS = ("clean", "remap@3", "failure@3", "popup@3")


def cells(tasks: int = 6) -> list[Cell]:
    plan = Plan(
        agents=(AgentSpec(name="resilient", label="resilient"),),
        tasks=tuple(f"{site}/task-{number}" for site in ("shop", "mail", "files") for number in range(tasks)),
        conditions=tuple(map(condition, LABELS)),
    )
    return plan.cells()


def test_a_sample_has_every_site_under_every_condition() -> None:
    every = cells()
    drawn = sampled(every, 12)
    assert Counter((cell.site, cell.condition) for cell in drawn) == dict.fromkeys(
        {(cell.site, cell.condition) for cell in every}, 1
    )
    # Tasks differ between the strata, otherwise a sample would cover few of them.
    assert len({cell.task for cell in drawn}) > 6


@pytest.mark.parametrize("count", [1, 5, 12, 13, 40, 72, 100])
def test_a_smaller_sample_is_part_of_a_larger_one(count: int) -> None:
    every = cells()
    drawn, more = sampled(every, count), sampled(every, count + 7)
    assert len(drawn) == min(count, len(every))
    assert set(drawn) <= set(more)
    assert drawn == [cell for cell in every if cell in set(drawn)], "in the order of the plan"


def proof(**fields: object) -> Certificate:
    lines = (
        Line("clean", 3, 3, None, 4.0, None, None),
        Line("remap@3", 3, 2, 3, 9.5, 5.5, 3.0),
    )
    whole = {
        "agent": "resilient", "sites": ("shop",), "tasks": 3, "worlds": (0,), "lines": lines, "failed": ("shop/a ...",),
        "missing": 0, "seconds": 90.0, "version": "0.1.0", "browser": "Chromium 1",
    }  # fmt: skip
    return Certificate(**{**whole, **fields})  # type: ignore[arg-type]


def test_nothing_is_proven_while_a_cell_failed_or_is_missing() -> None:
    whole = (Line("clean", 3, 3, None, 4.0, None, None),)
    assert proof(lines=whole, failed=()).proven
    assert not proof(lines=whole, failed=(), missing=1).proven
    assert not proof().proven


def test_an_episode_without_the_right_claim_is_not_solved() -> None:
    assert solved(graded())
    assert not solved(graded(claim="failed", status="gave_up"))
    assert not solved(graded(success=False))


def test_a_certificate_reads_well() -> None:
    assert headline(proof(missing=2)) == (
        "resilient reached the goal and said so in 5 of 6 episodes (3 tasks on 1 site, 2 conditions); 2 episodes not run yet"
    )
    assert markdown(proof()).splitlines()[2:] == [
        "| condition | cells | passed | exposed | steps | extra steps | hits on the way |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| clean | 3 | 3 | – | 4.0 | – | – |",
        "| remap@3 | 3 | 2 | 3 | 9.5 | +5.5 | 3.0 |",
        "| all | 6 | 5 |  |  |  |  |",
        "",
        "* failed: shop/a ...",
    ]


def prove(folder: Path, *arguments: str) -> tuple[int, dict[str, object]]:
    command = [sys.executable, "-P", "-m", "stressweb", "prove", "--runs-dir", str(folder), "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.audit
def test_a_sample_of_all_tasks_is_proven(tmp_path: Path) -> None:
    status, output = prove(tmp_path, "--limit", "7", "--run", "proof")
    assert (status, output["proven"], output["failed"]) == (0, True, [])
    with Store.read(tmp_path / "proof" / FILE) as store:
        plan, records = recorded_plan(store), [store.load(cell) for cell in store.finished()]
    assert len(records) == 7
    assert {record.cell.condition for record in records} == {record.label for record in plan.conditions}


def test_a_certificate_agrees_with_its_recording(tmp_path: Path) -> None:
    options = ("--task", "shop/first-hit", "--limit", "3", "--run", "proof", "--output", str(tmp_path / "proof.md"))
    status, output = prove(tmp_path, *options)
    assert (status, output["proven"], output["failed"]) == (0, True, [])
    with Store.read(tmp_path / "proof" / FILE) as store:
        records = [store.load(cell) for cell in store.finished()]
    assert len(records) == 3
    lines = {line["condition"]: line for line in output["lines"]}  # type: ignore[attr-defined]
    assert {record.cell.condition for record in records} == {*lines}
    for label, line in lines.items():
        mine = [record for record in records if record.cell.condition == label]
        assert line["cells"] == line["passed"] == len(mine)
        assert line["steps"] == pytest.approx(sum(len(record.steps) - 1 for record in mine) / len(mine))
    assert "| remap@3 |" in (tmp_path / "proof.md").read_text()


@pytest.mark.audit
def test_a_plan_in_shards_is_the_whole_plan(tmp_path: Path) -> None:
    whole = len(task_ids())
    task = "calendar/week-view,shop/profile,mail/star-exactly-seven"
    for number in (1, 2):
        status, output = prove(tmp_path, "--task", task, "--shard", f"{number}/2", "--run", f"part-{number}")
        assert (status, output["proven"]) == (0, True)
    merged = [sys.executable, "-P", "-m", "stressweb", "merge", "--runs-dir", str(tmp_path), "--run", "whole"]
    subprocess.run([*merged, "part-1", "part-2"], check=True, capture_output=True, timeout=280)
    status, output = prove(tmp_path, "--task", task, "--run", "whole", "--resume")
    assert (status, output["tasks"], output["missing"]) == (0, 3, 0)
    assert whole > 3
