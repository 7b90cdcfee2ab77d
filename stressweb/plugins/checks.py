"""Checkpoints: definition, discovery and execution over a recorded episode."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from pydantic import TypeAdapter

from stressweb.core.errors import UserError
from stressweb.core.proxies import is_of_type
from stressweb.core.verdict import Judgement
from stressweb.plugins import contradictions
from stressweb.plugins.contradictions import Result
from stressweb.plugins.query import Run
from stressweb.plugins.task import Goal


@dataclass(frozen=True)
class Harm:
    """A check of something that the agent must not do; it can only turn a success into a failure."""

    name: str
    done: bool


type Checks = Iterator[tuple[str, bool] | Harm]
type Check = Callable[[Run, Goal], Checks]


def harm(name: str, done: object) -> Harm:
    """Return a check for a harm that the database does not show; `done`: whether it happened."""
    return Harm(name, bool(done))


def checks(task: str) -> Callable[[Check], Check]:
    """Mark a function as the checkpoints of a task."""

    def mark(function: Check) -> Check:
        # Marked, not registered: a registry that imports fill would depend on their order.
        function.__dict__["checks_task"] = task
        return function

    return mark


@dataclass(frozen=True)
class Grade:
    """The result of an episode."""

    passed: dict[str, bool]
    """Whether each observed checkpoint passed, by name, in order."""
    harms: dict[str, bool]
    """Whether each harm was done, by name."""
    verdict: bool | None
    """Whether the final database meets the goal; None for a goal that changes nothing."""
    unmet: list[str] = field(default_factory=list)
    """Unmet expectations of the goal about the database, the reasons for a verdict of False."""
    contradictions: list[str] = field(default_factory=list)
    """Contradictions between checkpoints and database, in words."""
    unobserved: list[str] = field(default_factory=list)
    """Checkpoints about pages that were not all recorded; they count neither as passed nor as failed."""
    judgement: Judgement | None = None
    """For a test case, the tester's verdict compared with the truth; only this decides."""

    @staticmethod
    def read(record: Mapping[str, Any]) -> "Grade":
        """Return the grade from its `record`; raises ValueError for other values."""
        return _GRADE.validate_python(record)

    def record(self) -> dict[str, Any]:
        """Return the grade as JSON values."""
        grade = asdict(self)
        # The grade of a task has the same form as before test cases existed.
        return grade if self.judgement else {name: part for name, part in grade.items() if name != "judgement"}

    @property
    def success(self) -> bool:
        """Whether every checkpoint passed, the database meets the goal, and no harm was done."""
        if self.judgement is not None:
            return self.judgement.right
        # `all` of nothing is true, but an episode without checkpoints is not a success.
        if self.undecided or (not self.passed and self.verdict is None):
            return False
        # A goal that changes nothing has no verdict (None), which is not a failure.
        return all(self.passed.values()) and self.verdict is not False and not any(self.harms.values())

    @property
    def undecided(self) -> bool:
        """Whether the outcome is unknown: decisive pages were not observed and the goal changes no data.

        The outcome of a test case is unknown if its truth is.
        """
        if self.judgement is not None:
            return self.judgement.outcome is None
        failed = not all(self.passed.values()) or any(self.harms.values())
        return bool(self.unobserved) and self.verdict is None and not failed

    @property
    def outcome(self) -> bool | None:
        """Whether it is a success; None if unknown."""
        return None if self.undecided else self.success

    @property
    def disputed(self) -> bool:
        """Whether checkpoints and final database contradict each other; such an episode is not a success."""
        return bool(self.contradictions)


_GRADE = TypeAdapter(Grade)


@dataclass(frozen=True)
class Checklist:
    """The checkpoints of one site's tasks, from its module."""

    checks: dict[str, Check]
    file: str = "checks.py"
    """Their file, for messages."""

    def grade(self, run: Run, goal: Goal) -> Grade:
        """Grade an episode by the task's checkpoints, and by comparing the final database with `expect`.

        Raises KeyError for a task without checkpoints, and ValueError for two checkpoints with the same name.
        """
        results = [*self.results(run, goal)]
        # The mapping below would keep only the last of two checkpoints with the same name.
        names = Counter(result.name for result in results)
        if twice := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"{goal.task} has two checkpoints named {twice[0]!r}")
        # `all` of nothing is true, so without checkpoints every episode would be a success.
        if all(result.is_harm for result in results):
            raise ValueError(f"{goal.task} has no checkpoints")
        unobserved = [result.name for result in results if run.pages_missing and result.unseen]
        results = [result for result in results if result.name not in unobserved]
        passed = {result.name: result.holds for result in results if not result.is_harm}
        harms = {result.name: result.holds for result in results if result.is_harm}
        if goal.expect is None:
            return Grade(passed, harms, None, unobserved=unobserved)
        outcome = goal.expect.compare(run.tables)
        # Without expectations there is no verdict: doing nothing would get True.
        verdict = not outcome.missing if goal.expect else None
        harms |= dict.fromkeys(outcome.harms, True)
        contradicting: list[str] = []
        if verdict is True and not any(harms.values()):
            contradicting = contradictions.of_failed(results)
        elif verdict is False and all(passed.values()):
            contradicting = contradictions.of_unmet(outcome.missing, run.reads)
        return Grade(passed, harms, verdict, outcome.unmet, contradicting, unobserved)

    def results(self, run: Run, goal: Goal) -> Iterator[Result]:
        """Yield the result of each checkpoint of the task, in order."""
        run.asked_agent_pages = False
        run.derived = goal.expect.derived if goal.expect is not None else {}
        for result in self.checks[goal.task](run, goal):
            # The queries of a checkpoint run between the previous yield and its own.
            about_agent, run.asked_agent_pages = run.asked_agent_pages, False
            if isinstance(result, Harm):
                yield Result(result.name, result.done, about_agent, is_harm=True)
            else:
                yield Result(result[0], bool(result[1]), about_agent)

    def count(self, goal: Goal) -> int:
        """Return the number of checkpoints of a task."""
        return len(self.grade(Run([]), goal).passed)

    def check(self, goal: Goal) -> None:
        """Run a task's checkpoints on an empty episode; raises UserError if they are malformed."""
        if goal.task not in self.checks:
            raise UserError(f"task {goal.task} has no checkpoints in {self.file}")
        try:
            # Checkpoints are generators, whose errors appear only when they run.
            self.grade(Run([]), goal)
        except ValueError as error:
            raise UserError(f"{self.file}: {error}") from None


def checklist(modules: Sequence[ModuleType]) -> Checklist:
    """Collect the functions that `checks` has marked in modules; raises UserError if two are for the same task."""
    checks: dict[str, Check] = {}
    for module in modules:
        for value in vars(module).values():
            task = vars(value).get("checks_task") if is_of_type(value, FunctionType) else None
            # A module that imports a marked function has it, too, which is not a conflict.
            if task is not None and checks.setdefault(task, value) is not value:
                raise UserError(f"{module.__name__}: two functions define the checkpoints of task {task}")
    file = "/".join(Path(getattr(modules[0], "__file__", None) or "checks.py").parts[-2:])
    return Checklist(checks, file)
