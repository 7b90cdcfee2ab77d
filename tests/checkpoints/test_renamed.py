"""A row that was created under a mistyped name and then renamed passes, on every site."""

import pytest

from stressweb.runner.verify.walks import failed
from tests.checkpoints.renaming import creations_of, renamed
from tests.support.walks import TASKS, goal, grade

NOT_RENAMABLE = {("mail", "Thread"), ("network", "Post"), ("network", "Skill"), ("notes", "Link"), ("tasks", "Step")}
"""Entities that a site cannot rename."""
MAKING = [name for name, task in TASKS.items() if any(rows.added for rows in task.expect.values())]


@pytest.mark.sample(5)
@pytest.mark.parametrize("task", MAKING)
def test_a_mistyped_name_that_was_corrected_passes(task: str) -> None:
    task_goal = goal(task, 0)
    creations = [*creations_of(task_goal)]
    walked = [(creation, renamed(task_goal, creation)) for creation in creations]
    assert {creation.entity for creation, walker in walked if walker is None} == {
        creation.entity for creation in creations if (TASKS[task].site, creation.entity) in NOT_RENAMABLE
    }
    for creation, walker in walked:
        if walker is not None:
            got = grade(walker.run(task_goal), task_goal)
            assert got.success, f"{creation}: {failed(got)}"
            assert not got.disputed
