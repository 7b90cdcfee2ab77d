"""The test cases of a task: the passing one, and failing ones with faults spread over operators and steps."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stressweb.cases.bugs import BUGS
from stressweb.cases.operators import OPERATORS, Scene, Vocabulary, rejection
from stressweb.cases.rendering import States
from stressweb.core.draws import Keyed, unit
from stressweb.core.task_id import CASES
from stressweb.core.verdict import Truth
from stressweb.plugins.test_case import CaseStep, TestCase

FAILING = 3
"""Largest number of failing cases per passing one."""


class Fault(NamedTuple):
    """The fault of a failing case: an operator at a step, from 1. It is the same in every world."""

    operator: str
    step: int

    @property
    def is_bug(self) -> bool:
        """Whether it is a bug of the site, so that the text of the case is that of the passing one."""
        return self.operator in BUGS

    def __str__(self) -> str:
        """Return it as in files: `wrong_count@3`."""
        return f"{self.operator}@{self.step}"


class Played(NamedTuple):
    """A passing case in one world, with the pages of each step."""

    world_seed: int
    case: TestCase
    seen: Sequence[States]
    vocabulary: Vocabulary


class Rejection(NamedTuple):
    """A case whose truth is not proven."""

    case: str
    fault: Fault | None
    """None for a passing case."""
    reason: str


@dataclass
class Spread:
    """How often each operator and each step was chosen on a site, so that all are used."""

    operators: Counter[str] = field(default_factory=Counter)
    steps: Counter[int] = field(default_factory=Counter)

    def choose(self, task: str, faults: Sequence[Fault]) -> list[Fault]:
        """Return at most `FAILING` faults of a task, preferring rare steps and operators."""
        chosen: list[Fault] = []
        candidates = [*faults]
        while candidates and len(chosen) < FAILING:
            fault = self.ordered(task, candidates)[0]
            chosen.append(fault)
            self.count(fault)
            # Different steps and operators, so that the cases of a task are not variants of one.
            candidates = [
                other for other in candidates if other.step != fault.step and other.operator != fault.operator
            ]
        return sorted(chosen, key=lambda fault: fault.step)

    def ordered(self, task: str, faults: Iterable[Fault]) -> list[Fault]:
        """Return faults of a task in the order to try, the rarest first."""
        return sorted(faults, key=lambda fault: (*self._use(fault), unit(CASES, task, *fault)))

    def count(self, fault: Fault) -> None:
        """Count a chosen fault."""
        self.operators[fault.operator] += 1
        self.steps[fault.step] += 1

    def _use(self, fault: Fault) -> tuple[int, int]:
        return self.operators[fault.operator] + self.steps[fault.step], self.steps[fault.step]


def changed(played: Played, fault: Fault) -> CaseStep | None:
    """Return the step of a case changed by a fault; None if the operator does not apply or there is no such step."""
    operator, _ = OPERATORS[fault.operator]
    number = fault.step - 1
    if number >= len(played.case.steps):
        return None
    task = played.case.id
    draw = Keyed(CASES, task, played.world_seed, fault.step)
    return operator(Scene(played.case.steps[number], played.seen[number], played.vocabulary, draw))


def proven_faults(worlds: Sequence[Played]) -> tuple[list[Fault], list[Rejection]]:
    """Return the faults that give a failing case in every given world, and the rejected ones."""
    fewest = min(len(played.case.steps) for played in worlds)
    proven: list[Fault] = []
    rejected: list[Rejection] = []
    for fault in (Fault(operator, step) for step in range(1, fewest + 1) for operator in OPERATORS):
        steps = [changed(played, fault) for played in worlds]
        if None in steps:
            continue
        reason = next(filter(None, (_rejection(*pair, fault) for pair in zip(worlds, steps, strict=True))), "")
        if reason:
            rejected.append(Rejection(worlds[0].case.id, fault, reason))
        else:
            proven.append(fault)
    return proven, rejected


def _rejection(played: Played, step: CaseStep | None, fault: Fault) -> str:
    assert step is not None
    why = rejection(step, OPERATORS[fault.operator][1], played.seen[fault.step - 1])
    return why and f"world {played.world_seed}: {why}"


def failing_cases(played: Played, faults: Sequence[Fault]) -> list[TestCase]:
    """Return the failing cases of a passing one, `#F1` with the first fault, and so on.

    Raises ValueError where an operator does not apply.
    """
    return [failing_case(played, number, fault) for number, fault in enumerate(faults, start=1)]


def failing_case(played: Played, number: int, fault: Fault) -> TestCase:
    """Return the failing case `#F1`, or of another number, with a fault; raises ValueError as `failing_cases` does."""
    step = changed(played, fault)
    if step is None:
        raise ValueError(f"{fault.operator} does not apply to step {fault.step} of {played.case.id}")
    steps = [*played.case.steps]
    steps[fault.step - 1] = step
    cause = OPERATORS[fault.operator][1]
    truth = Truth(verdict="fail", step=fault.step, cause=cause, operator=fault.operator)
    return TestCase(id=f"{played.case.id}#F{number}", title=played.case.title, steps=tuple(steps), truth=truth)


def fault_of(case: TestCase) -> Fault | None:
    """Return the fault of a failing case; None for a passing one."""
    return None if case.truth.step is None else Fault(case.truth.operator, case.truth.step)
