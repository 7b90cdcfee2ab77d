"""Limits of goals: each limiting phrase, such as "no other", has a breach, and each breach makes the task fail."""

from collections.abc import Iterator

from stressweb.plugins.limits import unlimited
from stressweb.plugins.task import Task
from stressweb.runner.verify.walks import TaskWalks
from stressweb.walking.walker import BrokenError, LostError


def unlimited_words(task: Task) -> Iterator[str]:
    """Yield the limiting words of a goal that no entry of `limits` covers."""
    for word in unlimited(task.goal_text, task.limits):
        yield f"the goal says {word}, and no entry of limits says what would disregard it"


def kept_limits(task: Task, walks: TaskWalks) -> Iterator[str]:
    """Walk each breach of the task's limits in a world: the task must fail."""
    for breach in task.breaches(walks.goal, walks.world):
        if breach.steps is None:
            # In world 0 the breach must be possible, or its failure would never be proven.
            if walks.goal.world_seed == 0:
                yield f"limits: {breach.says!r}: world 0 has nothing to disregard it with"
            continue
        try:
            walked = walks.walker().walk(breach.steps)
        except (LostError, BrokenError) as error:
            yield f"limits: {breach.says!r}: {error}"
            continue
        if walks.grade(walked.run(walks.goal)).success:
            yield f"limits: passes, although {breach.says!r} is disregarded"
