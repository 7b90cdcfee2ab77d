"""Checks limits of goals: each limiting phrase, such as "no other", has a breach, and each breach fails the task."""

from collections.abc import Iterator

from stressweb.plugins.limits import unlimited
from stressweb.plugins.task import Task
from stressweb.runner.verify.walks import TaskWalks
from stressweb.walking.walker import BrokenError, LostError


def unlimited_words(task: Task) -> Iterator[str]:
    """Yield the limiting words of a goal that no entry of `limits` covers."""
    for word in unlimited(task.goal_text, task.limits):
        yield f"the goal says {word}, but no entry of limits has a breach of it"


def wrong_limits(task: Task, walks: TaskWalks) -> Iterator[str]:
    """Walk each breach of the task's limits in a world; yield problems: the task must fail."""
    for breach in task.breaches(walks.goal, walks.world):
        if breach.steps is None:
            # The breach must be possible in world 0, so that it is walked at all.
            if walks.goal.world_seed == 0:
                yield f"limits: {breach.says!r}: its breach is impossible in world 0"
            continue
        try:
            walked = walks.walker().walk(breach.steps)
        except (LostError, BrokenError) as error:
            yield f"limits: {breach.says!r}: {error}"
            continue
        if walks.grade(walked.run(walks.goal)).success:
            yield f"limits: passes with a breach of {breach.says!r}"
