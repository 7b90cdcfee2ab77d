"""Test cases as tasks: they are planned, run, compared and reported like any other."""

from pydantic import BaseModel, ConfigDict

from stressweb.cases import operators
from stressweb.cases.building import Fault, changed, failing_case
from stressweb.cases.execution import CaseWorld
from stressweb.core.errors import UserError
from stressweb.core.task_id import TaskId
from stressweb.plugins.task import Difficulty, Goal, Task, difficulty_by_length
from stressweb.plugins.test_case import TestCase, brief


class CaseTask(BaseModel):
    """A test case in every world, made from a task of its site."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    fault: Fault | None = None
    """None for the passing case."""
    family: str
    """What the passing case and the failing ones made from it have in common: testers judge them alike."""
    tags: tuple[str, ...] = ()

    @staticmethod
    def of(task: Task, number: int = 0, fault: Fault | None = None) -> "CaseTask":
        """Return the passing case of a task, or its failing case of a number with a fault."""
        case = f"cases/{task.id}"
        return CaseTask(
            id=f"{case}#F{number}" if fault else case,
            fault=fault,
            family=task.family or TaskId.read(task.id).name,
            tags=(*task.tags, "failing" if fault else "passing"),
        )

    def difficulty_of(self, goal: Goal) -> Difficulty:
        """Return how hard it is, by the number of its actions."""
        return difficulty_by_length(goal.ways[0])

    def goal(self, world: CaseWorld) -> Goal:
        """Return the case in a world; raises UserError if it is no such case there."""
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
        step = changed(played, self.fault)
        pages = played.seen[self.fault.step - 1] if step else ()
        # Proven in some worlds, and looked at anew in this one.
        if step is None or operators.rejection(step, operators.OPERATORS[self.fault.operator][1], pages):
            raise UserError(
                f"{self.id} is not made in world {world.world.seed}: {self.fault.operator} makes no failure of step "
                f"{self.fault.step} there; leave the case out by --exclude, or choose another --seed"
            )
        return failing_case(played, int(TaskId.read(self.id).fault.removeprefix("F")), self.fault)
