"""What is true of a test case, what a tester says of it, and what one is beside the other."""

import contextlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

type Result = Literal["pass", "fail"]
type Known = Literal["pass", "fail", "unknown"]
"""What is true of a test case: a user's own need not say it."""
type Cause = Literal["action", "assertion"]
"""Why a step fails: its action cannot be done, or what it expects is not so."""
type Status = Literal["pass", "fail", "not run"]
type StepNumber = Annotated[int, Field(ge=1)]

_DECODER = json.JSONDecoder()
_MOST_OBJECTS = 50
"""Braces of a message, from its end, at which a verdict is looked for."""


class _Judged(BaseModel):
    """A test case passes, or it fails at a step, or nobody has said."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Known
    step: StepNumber | None = None
    """The first step that fails, from 1; none of a case that passes."""
    cause: Cause | None = None
    """Why it fails; none if it passes, or if nobody has said why."""

    @model_validator(mode="after")
    def _a_failure_has_a_step(self) -> Self:
        if self.verdict == "fail" and self.step is None:
            raise ValueError("a case that fails needs the step that fails, from 1")
        if self.verdict != "fail" and (self.step is not None or self.cause is not None):
            raise ValueError("only a case that fails has a failing step and a cause")
        return self


class Truth(_Judged):
    """What is true of a test case on the undisturbed site; no agent is shown it."""

    operator: str = ""
    """What changed a passing case into this failing one."""


class Verdict(_Judged):
    """What a tester says of a test case."""

    verdict: Result
    steps: tuple[Status, ...] = ()
    """What it says of each step, in order; empty if it says nothing of them."""
    note: str = ""
    """What it saw, in its own words; never graded."""


class NoVerdict(BaseModel):
    """An episode that ended without a verdict."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: Literal["tester", "infrastructure"]
    """Whose matter it is: the tester's (a crash, a spent budget, a refusal), or that of the machinery around it."""
    step: StepNumber = 1
    """The step at which it ended, from 1."""


type Answer = Verdict | NoVerdict


def verdict_in(text: str) -> Verdict | None:
    """Return the verdict that a tester's message holds, the last one if there are several; None without one."""
    starts = [place.start() for place in re.finditer(r"\{", text)][-_MOST_OBJECTS:]
    for start in reversed(starts):
        with contextlib.suppress(ValueError, RecursionError):
            return Verdict.model_validate(_DECODER.raw_decode(text, start)[0])
    return None


class Outcome(StrEnum):
    """A verdict beside the truth. The positive class is "the case fails", as in the paper."""

    TN = "TN"
    """The case passes, and the tester says so."""
    FP = "FP"
    """A false alarm: the case passes, and the tester says that it fails."""
    FN = "FN"
    """The case fails, and the tester says that it passes."""
    AFB = "AFB"
    """The case fails, and the tester says so of a step before the failing one."""
    AFC = "AFC"
    """The case fails, and the tester says so of the failing step."""
    AFA = "AFA"
    """The case fails, and the tester says so of a later step."""
    PASSING_WITHOUT_VERDICT = "passing, no verdict"
    FAILING_WITHOUT_VERDICT = "failing, no verdict"


def outcome(truth: Truth, answer: Answer, *, errors_as_fail: bool = False) -> Outcome | None:
    """Return what an answer is beside the truth; None for an infrastructure error, which says nothing about a tester.

    None, too, if the truth is not known.

    `errors_as_fail` counts as the paper does: whatever ends without a verdict fails at the step where it ended.
    """
    if truth.verdict == "unknown":
        return None
    if isinstance(answer, NoVerdict):
        if errors_as_fail:
            return _failed_at(truth, answer.step)
        if answer.reason == "infrastructure":
            return None
        passing = truth.verdict == "pass"
        return Outcome.PASSING_WITHOUT_VERDICT if passing else Outcome.FAILING_WITHOUT_VERDICT
    if answer.step is not None:
        return _failed_at(truth, answer.step)
    return Outcome.TN if truth.verdict == "pass" else Outcome.FN


def _failed_at(truth: Truth, step: int) -> Outcome:
    if truth.step is None:
        return Outcome.FP
    if step == truth.step:
        return Outcome.AFC
    return Outcome.AFB if step < truth.step else Outcome.AFA


@dataclass(frozen=True)
class Judgement:
    """A tester's answer to a test case beside the truth, as it is stored with a grade."""

    verdict: Literal["pass", "fail", "none"]
    step: int | None
    """The step that fails according to the tester; without a verdict, the step at which the episode ended."""
    cause: Cause | None
    truth: Known
    failing_step: int | None
    failing_cause: Cause | None
    reached: tuple[bool | None, ...]
    """Of each step, whether the recording shows its expected result, after those of the steps before it; None where
    nothing is expected."""
    began: tuple[int, ...] = ()
    """Of each step, the number of the action after which it began: the first begins at the first page, after 0."""
    statuses: tuple[Status, ...] = ()
    """The status of each step according to the tester; empty if it gives none."""
    # Not compared: an earlier grade that has none says the same otherwise.
    ahead: tuple[int, ...] | None = field(default=None, compare=False)
    """The numbers of the actions that were ahead of the script; None if that is not known."""

    @staticmethod
    def of(
        truth: Truth,
        answer: Answer,
        reached: Sequence[bool | None],
        began: Sequence[int] = (),
        ahead: tuple[int, ...] | None = None,
    ) -> "Judgement":
        """Return an answer beside the truth."""
        verdict = answer if isinstance(answer, Verdict) else None
        return Judgement(
            verdict=verdict.verdict if verdict else "none",
            step=answer.step,
            cause=verdict.cause if verdict else None,
            truth=truth.verdict,
            failing_step=truth.step,
            failing_cause=truth.cause,
            reached=tuple(reached),
            began=tuple(began),
            statuses=verdict.steps if verdict else (),
            ahead=ahead,
        )

    @property
    def outcome(self) -> Outcome | None:
        """What the answer is beside the truth; None if the truth is not known."""
        truth = Truth(verdict=self.truth, step=self.failing_step, cause=self.failing_cause)
        answer: Answer
        if self.verdict == "none":
            answer = NoVerdict(reason="tester", step=self.step or 1)
        else:
            answer = Verdict(verdict=self.verdict, step=self.step, cause=self.cause)
        return outcome(truth, answer)

    def span(self, step: int) -> tuple[int, float]:
        """Return the numbers of the actions inside a step: the first, and the one before which the step ends.

        What came with the page on which a step began is inside that step: its action is done there. A step that was not
        reached begins where the episode got stuck, and lasts until its end. Without a record, it is the whole episode.
        """
        if not self.began:
            return 0, math.inf
        number = min(step, len(self.began))
        first = self.began[number - 1]
        end = self.began[number] if number < len(self.began) else math.inf
        return first, math.inf if end == first else end

    @property
    def right(self) -> bool:
        """Whether the verdict is right, and of a failing case the step as well; False if the truth is not known."""
        return self.outcome in (Outcome.TN, Outcome.AFC)

    @property
    def grounded(self) -> bool | None:
        """Whether the recording shows the expected result of every step that passes according to the tester.

        None if no step has an expected result that a program can look for.
        """
        if all(reached is None for reached in self.reached):
            return None
        return not any(
            reached is False and self._called_pass(number) for number, reached in enumerate(self.reached, start=1)
        )

    def _called_pass(self, step: int) -> bool:
        if self.statuses:
            return step <= len(self.statuses) and self.statuses[step - 1] == "pass"
        return self.verdict == "pass" or (self.verdict == "fail" and self.step is not None and step < self.step)
