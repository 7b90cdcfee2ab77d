"""What was made under another name and then renamed counts as what the goal asks for, on every site."""

import pytest

from runner.verify.walks import failed
from tests.checkpoints.renaming import made_by, renamed
from tests.checkpoints.walks import TASKS, goal, grade

FOR_GOOD = {("mail", "Thread"), ("network", "Post"), ("network", "Skill"), ("notes", "Link"), ("tasks", "Step")}
"""What a site offers no way to rename."""
MAKING = [name for name, task in TASKS.items() if any(rows.added for rows in task.expect.values())]


@pytest.mark.sample(15)
@pytest.mark.parametrize("task", MAKING)
def test_a_mistyped_name_that_was_put_right_passes(task: str) -> None:
    asked = goal(task, 0)
    made = [*made_by(asked)]
    walked = [(one, renamed(asked, one)) for one in made]
    assert {one.entity for one, walker in walked if walker is None} == {
        one.entity for one in made if (TASKS[task].site, one.entity) in FOR_GOOD
    }
    for one, walker in walked:
        if walker is not None:
            got = grade(walker.run(asked), asked)
            assert got.success, f"{one}: {failed(got)}"
            assert not got.disputed
