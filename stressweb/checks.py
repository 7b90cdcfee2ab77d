"""Checkpoints: how they are written, found and run over a recorded episode."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType

from stressweb.query import Run
from stressweb.tasks import Goal


@dataclass(frozen=True)
class Harm:
    """A check of what must not have changed: it takes success away and never earns credit."""

    name: str
    done: bool


type Checks = Iterator[tuple[str, bool] | Harm]
type Check = Callable[[Run, Goal], Checks]
type Verdict = Callable[[Run, Goal], bool]


def harm(name: str, avoided: object) -> Harm:
    """Return a harm check: `name` says what would be wrong, `avoided` whether it did not happen."""
    return Harm(name, not avoided)


def checks(task: str) -> Callable[[Check], Check]:
    """Mark a function as the checkpoints of a task."""

    def mark(function: Check) -> Check:
        function.__dict__["checks_task"] = task
        return function

    return mark


def verdict(task: str) -> Callable[[Verdict], Verdict]:
    """Mark a function as a task's verdict from the final database alone."""

    def mark(function: Verdict) -> Verdict:
        function.__dict__["verdict_task"] = task
        return function

    return mark


@dataclass(frozen=True)
class Grade:
    """What an episode achieved."""

    passed: dict[str, bool]
    """Every checkpoint by name, in order."""
    harms: dict[str, bool]
    """Every harm check by name; True: the harm was done."""
    verdict: bool | None
    """Whether the final database holds what the goal asks for; None for a goal that changes nothing."""

    @property
    def success(self) -> bool:
        """Whether every checkpoint passed, the database holds what the goal asks for, and no harm was done."""
        return all(self.passed.values()) and self.verdict is not False and not any(self.harms.values())

    @property
    def disputed(self) -> bool:
        """Whether the checkpoints and the final database disagree about the goal; such an episode is no success."""
        return self.verdict is not None and self.verdict != all(self.passed.values())


@dataclass(frozen=True)
class Checklist:
    """The checkpoints of one site's tasks, found in its module."""

    checks: dict[str, Check]
    verdicts: dict[str, Verdict]

    def grade(self, run: Run, goal: Goal) -> Grade:
        """Run a task's checkpoints and its verdict over an episode; raises KeyError for a task without checks."""
        found = list(self.checks[goal.task](run, goal))
        harms = {one.name: one.done for one in found if isinstance(one, Harm)}
        passed = {one[0]: bool(one[1]) for one in found if not isinstance(one, Harm)}
        return Grade(passed, harms, bool(self.verdicts[goal.task](run, goal)))


def checklist(modules: Iterable[ModuleType]) -> Checklist:
    """Collect the functions that `checks` and `verdict` marked in the modules."""
    functions = [value for module in modules for value in vars(module).values() if callable(value)]
    marked = [(getattr(f, "__dict__", {}), f) for f in functions]
    return Checklist(
        checks={marks["checks_task"]: f for marks, f in marked if "checks_task" in marks},
        verdicts={marks["verdict_task"]: f for marks, f in marked if "verdict_task" in marks},
    )
