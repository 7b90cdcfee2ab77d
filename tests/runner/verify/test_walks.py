"""Defects of tasks and checkpoints are found without a browser; a valid site has no finding."""

from dataclasses import replace

import pytest

from stressweb.plugins.checks import Grade
from stressweb.plugins.query import Run
from stressweb.runner.verify.further import Reached
from stressweb.runner.verify.limits import unlimited_words, wrong_limits
from stressweb.runner.verify.walks import TaskWalks
from stressweb.sites.kit import KitSite
from tests.runner.verify.demo_site import Break, walks

CHECKS, TASKS = "checks.py", "tasks.yaml"


def findings_of(broken: Break, task: str, method: str, *changes: tuple[str, str, str]) -> list[str]:
    return [*getattr(walks(broken(*changes), task), method)()]


@pytest.mark.sample(1)
@pytest.mark.parametrize("task", ["borrow-the-cheapest", "lend-a-tool", "give-one-back"])
def test_a_valid_site_has_no_finding(broken: Break, task: str) -> None:
    task_walks = walks(broken(), task)
    assert [
        *task_walks.ways(),
        *task_walks.checkpoints(),
        *task_walks.idle(),
        *task_walks.left_out(),
        *task_walks.other_values(),
    ] == []


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("task", "method", "change", "says"),
    [
        ("give-one-back", "ways", (TASKS, "- press: give_back", "- press: borrow"), "the trajectory: verb='press'"),
        ("give-one-back", "ways", (TASKS, 'removed: [{tool: "{tool.id}"}]', 'removed: [{tool: "{other.id}"}]'), "the trajectory does not succeed"),
        ("borrow-the-cheapest", "ways", (CHECKS, "goal.tool.name in loans\n", "goal.tool.name not in loans\n"), "missed 'borrowed it'"),
        ("give-one-back", "ways", (TASKS, '      on: "{tool.name}"\n', ""), "is 2 times on /loans"),
        ("lend-a-tool", "checkpoints", (CHECKS, '    yield "as the right kind"', '    if False: yield "as the right kind"'), ""),
        ("borrow-the-cheapest", "idle", (CHECKS, 'run.ever(lambda state: state.path == f"/tools/{goal.tool.id}")', "True"), "doing nothing passes something: ['opened its page']"),
        ("borrow-the-cheapest", "idle", (CHECKS, "goal.tool.name in loans and len", "len"), ""),
        ("borrow-the-cheapest", "left_out", (TASKS, "- {choose: {sort_by: by_price}, optional: the list says of each tool what it costs}", "- choose: {sort_by: by_price}"), "passes without choose"),
        ("lend-a-tool", "other_values", (TASKS, ', owner: "{person}"', ", owner: any"), "checkpoints and database disagree"),
        ("lend-a-tool", "left_out", (TASKS, "- press: add_tool", "- press: add_tool\n    - open: link_home"), "passes without open"),
    ],
)  # fmt: skip
def test_defects_are_found(broken: Break, task: str, method: str, change: tuple[str, str, str], says: str) -> None:
    findings = findings_of(broken, task, method, change)
    if says:
        assert any(says in finding for finding in findings), findings
    else:
        # One checkpoint fewer is still within bounds, and a checkpoint that needs a change earns nothing by itself.
        assert findings == []


class Uncontradicted(TaskWalks):
    """Walks whose grades have no contradictions: a page that shows a value contradicts the database, not every page does."""

    def grade(self, run: Run) -> Grade:
        return replace(super().grade(run), contradictions=[])


def test_a_value_that_no_checkpoint_reads_is_found(broken: Break) -> None:
    task_walks = walks(
        broken((CHECKS, '    yield "as the right kind"', '    if False: yield "as the right kind"')),
        "lend-a-tool",
        kind=Uncontradicted,
    )
    (finding,) = task_walks.other_values()
    assert finding.startswith("with another value in choose")
    assert "every checkpoint passes, and only the database shows the failure: tool" in finding


def test_a_value_that_does_not_matter_is_found(broken: Break) -> None:
    findings = findings_of(
        broken, "lend-a-tool", "other_values",
        (TASKS, ', owner: "{person}"', ", owner: any"), (CHECKS, '    yield "under the right name", tool is not None and tool["seller"] == goal.person\n', ""),
    )  # fmt: skip
    assert [finding.partition(" in ")[0] for finding in findings] == ["passes with another value"]


@pytest.mark.parametrize("count", [2, 9])
def test_too_few_and_too_many_checkpoints_are_found(broken: Break, count: int) -> None:
    more = "".join(f'    yield "again {number}", len(run.removed("loan")) == 1\n' for number in range(count - 1))
    change = (CHECKS, '    yield "gave it back", goal.other.name in remaining and goal.tool.name not in remaining\n    yield "kept the other", goal.other.name in remaining and len(run.removed("loan")) == 1\n', more)  # fmt: skip
    assert findings_of(broken, "give-one-back", "checkpoints", change) == [
        f"has {count} checkpoints; a task has 3 to 8"
    ]


def limits(site: KitSite, task: str) -> list[str]:
    (site_task,) = (candidate for candidate in site.tasks() if candidate.id == f"demo/{task}")
    return [*unlimited_words(site_task), *wrong_limits(site_task, walks(site, task))]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ((), ""),
        (((TASKS, "  limits:\n    - {says: keep the other that you borrowed, breach: [{press: give_back, on: \"{other.name}\"}]}\n", ""),), "the goal says 'keep' in "),
        # Neither the database nor a checkpoint sees the other loan.
        (((TASKS, 'removed: [{tool: "{tool.id}"}]', 'removed: [{}]'), (CHECKS, 'goal.other.name in remaining and goal.tool.name', "goal.tool.name"), (CHECKS, "goal.other.name in remaining and len(run.removed(\"loan\")) == 1", 'len(run.removed("loan")) > 0')), "passes with a breach of 'keep the other that you borrowed'"),
        (((TASKS, 'on: "{other.name}"', 'on: "{tool.name}"'),), "limits: 'keep the other that you borrowed': verb='press'"),
        (((TASKS, "{says: keep the other", '{given: {spare: {pick: Loan, where: {id: missing}}}, says: keep the other'),), "its breach is impossible in world 0"),
    ],
)  # fmt: skip
def test_a_limit_without_a_check_is_found(broken: Break, changes: tuple[tuple[str, str, str], ...], says: str) -> None:
    findings = limits(broken(*changes), "give-one-back")
    assert (not findings) if not says else any(says in finding for finding in findings), findings


def _problems_after_goal(reached: Reached) -> list[str]:
    return [wrong for thing in reached.further_actions() if (wrong := reached.judge(thing)[1])]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ((), ""),
        # A milestone that visiting another page undoes.
        (((CHECKS, 'run.ever(lambda state: state.path == "/loans")', 'run.last.path == "/loans"'),), "is harmless, but fails: ['looked at the loans']"),
        # A checkpoint that fails although the database is right.
        (((CHECKS, "len(run.removed", '"tool" not in str(run.last.path) and len(run.removed'),), "is harmless, but fails"),
    ],
)  # fmt: skip
def test_actions_after_the_goal_are_judged(broken: Break, changes: tuple[tuple[str, str, str], ...], says: str) -> None:
    it = walks(broken(*changes), "give-one-back")
    judged = _problems_after_goal(Reached(it.goal, it.world, it.checks))
    assert (not judged) if not says else any(says in finding for finding in judged), judged
