"""Checkpoints: how they are written, found and run over a recorded episode."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter

from stressweb.core.errors import UserError
from stressweb.core.verdict import Judgement
from stressweb.plugins import contradictions
from stressweb.plugins.contradictions import Result
from stressweb.plugins.query import Run
from stressweb.plugins.task import Goal


@dataclass(frozen=True)
class Harm:
    """A check of what must not have changed: it takes success away and never earns credit."""

    name: str
    done: bool


type Checks = Iterator[tuple[str, bool] | Harm]
type Check = Callable[[Run, Goal], Checks]


def harm(name: str, done: object) -> Harm:
    """Return a check of a harm that the database cannot show: `name` says what is wrong, `done` whether it happened."""
    return Harm(name, bool(done))


def checks(task: str) -> Callable[[Check], Check]:
    """Mark a function as the checkpoints of a task."""

    def mark(function: Check) -> Check:
        # Only marked: a registry that importing fills would depend on what was imported, and in which order.
        function.__dict__["checks_task"] = task
        return function

    return mark


@dataclass(frozen=True)
class Grade:
    """What an episode achieved."""

    passed: dict[str, bool]
    """Every checkpoint that was observed, by name, in order."""
    harms: dict[str, bool]
    """What must not happen, by name; True: the harm was done."""
    verdict: bool | None
    """Whether the final database holds what the goal asks for; None for a goal that changes nothing."""
    unmet: list[str] = field(default_factory=list)
    """What the goal asks of the database and it does not hold: why the verdict is False."""
    # Not compared: an earlier grade that has none differs from a new one only if it is disputed where that is not.
    contradictions: list[str] | None = field(default=None, compare=False)
    """In what checkpoints and database contradict each other, in words; None in a grade that does not say it."""
    unobserved: list[str] = field(default_factory=list)
    """Checkpoints about pages of which the episode has not seen all: they count neither as passed nor as failed."""
    judgement: Judgement | None = None
    """Of a test case, the tester's verdict beside the truth: it alone decides."""

    @staticmethod
    def read(record: Mapping[str, Any]) -> "Grade":
        """Return the grade that `record` gave; raises ValueError for anything else."""
        return _GRADE.validate_python(record)

    def record(self) -> dict[str, Any]:
        """Return the grade as JSON values."""
        grade = asdict(self)
        # A grade of a task is stored as it was before there were test cases.
        return grade if self.judgement else {name: part for name, part in grade.items() if name != "judgement"}

    @property
    def success(self) -> bool:
        """Whether every checkpoint passed, the database holds what the goal asks for, and no harm was done."""
        if self.judgement is not None:
            return self.judgement.right
        # All of nothing is true: what nobody has observed is no success.
        if self.undecided or (not self.passed and self.verdict is None):
            return False
        # A goal that changes nothing has no verdict (None), which does not count as a failure.
        return all(self.passed.values()) and self.verdict is not False and not any(self.harms.values())

    @property
    def undecided(self) -> bool:
        """Whether the outcome is unknown: pages that decide it were not observed, and the goal changes no data.

        That of a test case is unknown if nobody has said what is true of it.
        """
        if self.judgement is not None:
            return self.judgement.outcome is None
        lost = not all(self.passed.values()) or any(self.harms.values())
        return bool(self.unobserved) and self.verdict is None and not lost

    @property
    def outcome(self) -> bool | None:
        """Whether it is a success; None if the outcome is unknown."""
        return None if self.undecided else self.success

    @property
    def disputed(self) -> bool:
        """Whether the checkpoints and the final database contradict each other; such an episode is no success."""
        if self.contradictions is not None:
            return bool(self.contradictions)
        # A grade of an earlier version: what the two looked at is not known, and a harm explains why one has failed.
        passed = all(self.passed.values())
        return (self.verdict is True and not passed and not any(self.harms.values())) or (
            self.verdict is False and passed
        )


_GRADE = TypeAdapter(Grade)


@dataclass(frozen=True)
class Checklist:
    """The checkpoints of one site's tasks, found in its module."""

    checks: dict[str, Check]
    file: str = "checks.py"
    """Where they are written, for messages."""

    def grade(self, run: Run, goal: Goal) -> Grade:
        """Grade an episode by the task's checkpoints and by what its `expect` says of the final database.

        Raises KeyError for a task without checkpoints, ValueError for two checkpoints of one name.
        """
        results = [*self.results(run, goal)]
        # Of two checkpoints with one name the mapping below would keep the last, and the first could fail unseen.
        names = Counter(result.name for result in results)
        if twice := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"{goal.task} has two checkpoints named {twice[0]!r}")
        # All of nothing is true: without checkpoints every episode would be a success.
        if all(result.is_harm for result in results):
            raise ValueError(f"{goal.task} has no checkpoints")
        unobserved = [result.name for result in results if run.pages_missing and result.unseen]
        results = [result for result in results if result.name not in unobserved]
        passed = {result.name: result.holds for result in results if not result.is_harm}
        harms = {result.name: result.holds for result in results if result.is_harm}
        if goal.expect is None:
            return Grade(passed, harms, None, contradictions=[], unobserved=unobserved)
        outcome = goal.expect.compare(run.tables)
        # Where nothing is expected nothing can be unmet, and a verdict of True would be earned by doing nothing.
        verdict = not outcome.missing if goal.expect else None
        harms |= dict.fromkeys(outcome.harms, True)
        contradicting: list[str] = []
        if verdict is True and not any(harms.values()):
            contradicting = contradictions.of_failed(results)
        elif verdict is False and all(passed.values()):
            contradicting = contradictions.of_unmet(outcome.missing, run.reads)
        return Grade(passed, harms, verdict, outcome.unmet, contradicting, unobserved)

    def results(self, run: Run, goal: Goal) -> Iterator[Result]:
        """Yield what each checkpoint of the task says of an episode, in order."""
        run.asked_agent_pages = False
        run.derived = goal.expect.derived if goal.expect is not None else {}
        for result in self.checks[goal.task](run, goal):
            # A checkpoint is computed between the one before it and itself, and so is what it asks of the episode.
            about_agent, run.asked_agent_pages = run.asked_agent_pages, False
            if isinstance(result, Harm):
                yield Result(result.name, result.done, about_agent, is_harm=True)
            else:
                yield Result(result[0], bool(result[1]), about_agent)

    def count(self, goal: Goal) -> int:
        """Return how many checkpoints a task has."""
        return len(self.grade(Run([]), goal).passed)

    def check(self, goal: Goal) -> None:
        """Try a task's checkpoints on an episode in which nothing was seen; raises UserError if they are malformed."""
        if goal.task not in self.checks:
            raise UserError(f"task {goal.task} has no checkpoints in {self.file}")
        try:
            # Checkpoints are generators: what is malformed in them shows only when they run, so they run before any
            # episode.
            self.grade(Run([]), goal)
        except ValueError as error:
            raise UserError(f"{self.file}: {error}") from None


def checklist(modules: Sequence[ModuleType]) -> Checklist:
    """Collect the functions that `checks` marked in the modules; raises UserError if two are for one task."""
    checks: dict[str, Check] = {}
    for module in modules:
        for value in vars(module).values():
            task = getattr(value, "__dict__", {}).get("checks_task") if callable(value) else None
            # Every module that imports a function has it, too, which is not a conflict.
            if task is not None and checks.setdefault(task, value) is not value:
                raise UserError(f"{module.__name__}: two functions define the checkpoints of task {task}")
    file = "/".join(Path(getattr(modules[0], "__file__", None) or "checks.py").parts[-2:])
    return Checklist(checks, file)
