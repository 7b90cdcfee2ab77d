"""What is true of a test case, what a tester says of it, and what one is beside the other."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

type Result = Literal["pass", "fail"]
type Cause = Literal["action", "assertion"]
"""Why a step fails: its action cannot be done, or what it expects is not so."""
type StepNumber = Annotated[int, Field(ge=1)]


class _Judged(BaseModel):
    """A test case passes, or it fails at a step."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Result
    step: StepNumber | None = None
    """The first step that fails, from 1; none of a case that passes."""
    cause: Cause | None = None

    @model_validator(mode="after")
    def _a_failure_has_a_step(self) -> Self:
        if self.verdict == "fail" and self.step is None:
            raise ValueError("a case that fails needs the step that fails, from 1")
        if self.verdict == "pass" and (self.step is not None or self.cause is not None):
            raise ValueError("a case that passes has neither a failing step nor a cause")
        return self


class Truth(_Judged):
    """What is true of a test case on the undisturbed site; no agent is shown it."""

    operator: str = ""
    """What changed a passing case into this failing one."""

    @model_validator(mode="after")
    def _a_failure_has_a_cause(self) -> Self:
        if self.verdict == "fail" and self.cause is None:
            raise ValueError("a case that fails needs its cause: action or assertion")
        return self


class Verdict(_Judged):
    """What a tester says of a test case."""

    steps: tuple[Literal["pass", "fail", "not run"], ...] = ()
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

    `errors_as_fail` counts as the paper does: whatever ends without a verdict fails at the step where it ended.
    """
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
