"""Test cases as tasks: planned, run, compared and reported like any other."""

from collections import Counter
from collections.abc import Iterable, Iterator

from pydantic import BaseModel, ConfigDict

from stressweb.cases import operators
from stressweb.cases.building import Fault, changed, failing_case
from stressweb.cases.execution import CaseWorld
from stressweb.core.errors import UserError
from stressweb.core.task_id import CASES, TaskId
from stressweb.core.verdict import Truth
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.task import Difficulty, Goal, Task, difficulty_by_length
from stressweb.plugins.test_case import TestCase, brief


class NotMadeError(UserError):
    """A fault makes no failure in a world, so that its test case does not exist there."""

    def __init__(self, case: str, fault: Fault, world_seed: int) -> None:
        """Take the id and the fault of the case."""
        self.case = case
        self.reason = (
            f"{case} is not made in world {world_seed}: {fault.operator} makes no failure of step {fault.step} there"
        )
        super().__init__(f"{self.reason}; leave the case out by --exclude, or choose another --seed")


class CaseTask(BaseModel):
    """A test case in every world, made from a task of its site."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    fault: Fault | None = None
    """None for the passing case."""
    family: str
    """Common to a passing case and the failing ones made from it: testers judge them alike."""
    tags: tuple[str, ...] = ()

    @staticmethod
    def of(task: Task, faults: Iterable[Fault]) -> "Iterator[CaseTask]":
        """Yield the passing case of a task, then the failing ones: `#F1` by its text, `#B1` by a bug of the site."""
        case, family = f"{CASES}/{task.id}", task.family or TaskId.read(task.id).name
        yield CaseTask(id=case, family=family, tags=(*task.tags, "passing"))
        numbers = Counter[str]()
        for fault in faults:
            kind = "B" if fault.is_bug else "F"
            numbers[kind] += 1
            yield CaseTask(id=f"{case}#{kind}{numbers[kind]}", fault=fault, family=family, tags=(*task.tags, "failing"))

    def difficulty_of(self, goal: Goal) -> Difficulty:
        """Return the difficulty by the number of its actions."""
        return difficulty_by_length(goal.ways[0])

    def world(self, world: CaseWorld) -> SiteWorld:
        """Return the case's site, with its bug if it has one. Raises UserError as `goal` does."""
        if self.fault is None or not self.fault.is_bug:
            return world.world
        site = world.with_bug(TaskId.read(self.id).task, self.fault)
        if site is None:
            raise self._not_made(world)
        return site

    def goal(self, world: CaseWorld) -> Goal:
        """Return the case in a world; raises UserError if it is not valid there."""
        case = self._case(world)
        goal = world.goal(TaskId.read(self.id).task)
        return Goal(
            task=self.id,
            world_seed=goal.world_seed,
            text=brief(case),
            params={},
            ways=(tuple(action for step in case.steps for action in step.steps),),
            evidence=(),
            user=goal.user,
            offers=goal.offers,
            case=case,
        )

    def _case(self, world: CaseWorld) -> TestCase:
        played = world.played(TaskId.read(self.id).task)
        if self.fault is None:
            return played.case
        if self.fault.is_bug:
            self.world(world)
            # Without a cause: a tester may see a button that does nothing as either.
            truth = Truth(verdict="fail", step=self.fault.step, operator=self.fault.operator)
            return played.case.model_copy(update={"id": self.id, "truth": truth})
        step = changed(played, self.fault)
        pages = played.seen[self.fault.step - 1] if step else ()
        # Proven in some worlds, and checked again in this one.
        if step is None or operators.rejection(step, operators.OPERATORS[self.fault.operator][1], pages):
            raise self._not_made(world)
        return failing_case(played, int(TaskId.read(self.id).fault.removeprefix("F")), self.fault)

    def _not_made(self, world: CaseWorld) -> NotMadeError:
        assert self.fault is not None
        return NotMadeError(self.id, self.fault, world.world.seed)
