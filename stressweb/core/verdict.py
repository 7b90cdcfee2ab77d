"""The truth of a test case, a tester's verdict, and how the two compare."""

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
"""The truth of a test case; unknown if the author of the case did not state it."""
type Cause = Literal["action", "assertion"]
"""Why a step fails: its action is impossible, or its expected result does not appear."""
type Status = Literal["pass", "fail", "not run"]
type StepNumber = Annotated[int, Field(ge=1)]

_DECODER = json.JSONDecoder()
_MOST_OBJECTS = 50
"""Number of opening braces, counted from a message's end, at which to look for a verdict."""


class _Judged(BaseModel):
    """A test case passes, or fails at a step, or its result is unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Known
    step: StepNumber | None = None
    """The first failing step, from 1; None for a passing case."""
    cause: Cause | None = None
    """Why it fails; None if it passes, or if the cause is unknown."""

    @model_validator(mode="after")
    def _a_failure_has_a_step(self) -> Self:
        if self.verdict == "fail" and self.step is None:
            raise ValueError("a case that fails needs the step that fails, from 1")
        if self.verdict != "fail" and (self.step is not None or self.cause is not None):
            raise ValueError("only a case that fails has a failing step and a cause")
        return self


class Truth(_Judged):
    """The truth of a test case on the undisturbed site; hidden from agents."""

    operator: str = ""
    """The mutation operator that turned a passing case into this failing one."""


class Verdict(_Judged):
    """A tester's verdict on a test case."""

    verdict: Result
    steps: tuple[Status, ...] = ()
    """The verdict on each step, in order; empty without one."""
    note: str = ""
    """The tester's observations in its own words; never graded."""


class NoVerdict(BaseModel):
    """An episode that ended without a verdict."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: Literal["tester", "infrastructure"]
    """Who is responsible: the tester (a crash, a spent budget, a refusal) or the infrastructure."""
    step: StepNumber = 1
    """The step at which it ended, from 1."""


type Answer = Verdict | NoVerdict


def verdict_in(text: str) -> Verdict | None:
    """Return the last verdict in a tester's message; None without one."""
    starts = [place.start() for place in re.finditer(r"\{", text)][-_MOST_OBJECTS:]
    for start in reversed(starts):
        with contextlib.suppress(ValueError, RecursionError):
            return Verdict.model_validate(_DECODER.raw_decode(text, start)[0])
    return None


class Outcome(StrEnum):
    """A verdict compared with the truth. The positive class is "the case fails", as in the paper."""

    TN = "TN"
    """The case passes, and the verdict is passing."""
    FP = "FP"
    """A false alarm: the case passes, and the verdict is failing."""
    FN = "FN"
    """The case fails, and the verdict is passing."""
    AFB = "AFB"
    """The case fails, and the verdict is failing at an earlier step."""
    AFC = "AFC"
    """The case fails, and the verdict is failing at the right step."""
    AFA = "AFA"
    """The case fails, and the verdict is failing at a later step."""
    PASSING_WITHOUT_VERDICT = "passing, no verdict"
    FAILING_WITHOUT_VERDICT = "failing, no verdict"


def outcome(truth: Truth, answer: Answer, *, missing_verdict_fails: bool = False) -> Outcome | None:
    """Return the outcome of an answer; None for an infrastructure error, or if the truth is unknown.

    `missing_verdict_fails` counts as the paper does: a tester that ends without a verdict fails the case where it
    ended.
    """
    if truth.verdict == "unknown":
        return None
    if isinstance(answer, NoVerdict):
        if answer.reason == "infrastructure":
            return None
        if missing_verdict_fails:
            return _failed_at(truth, answer.step)
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
    """A tester's answer compared with the truth, as it is stored with a grade."""

    verdict: Literal["pass", "fail", "none"]
    step: int | None
    """The failing step according to the tester; without a verdict, the step at which the episode ended."""
    cause: Cause | None
    truth: Known
    failing_step: int | None
    failing_cause: Cause | None
    reached: tuple[bool | None, ...]
    """For each step, whether the recording shows its expected result, after those of earlier steps; None for a step
    without one."""
    began: tuple[int, ...] = ()
    """For each step, the number of the action after which it began; 0 for the first step, which begins at the first
    page."""
    statuses: tuple[Status, ...] = ()
    """The status of each step according to the tester; empty without any."""
    # Not compared, so that an earlier grade without it is equal.
    ahead: tuple[int, ...] | None = field(default=None, compare=False)
    """Numbers of the actions ahead of the script; None if unknown."""

    @staticmethod
    def of(
        truth: Truth,
        answer: Answer,
        reached: Sequence[bool | None],
        began: Sequence[int] = (),
        ahead: tuple[int, ...] | None = None,
    ) -> "Judgement":
        """Compare an answer with the truth."""
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
        """The outcome of the answer; None if the truth is unknown."""
        truth = Truth(verdict=self.truth, step=self.failing_step, cause=self.failing_cause)
        answer: Answer
        if self.verdict == "none":
            answer = NoVerdict(reason="tester", step=self.step or 1)
        else:
            answer = Verdict(verdict=self.verdict, step=self.step, cause=self.cause)
        return outcome(truth, answer)

    def span(self, step: int) -> tuple[int, float]:
        """Return the range of actions inside a step: the first, and the one before which the step ends.

        A step includes the action on the page at which it began. A step that was not reached begins where the episode
        got stuck, and lasts until its end. If the beginnings were not recorded, the range is the whole episode.
        """
        if not self.began:
            return 0, math.inf
        number = min(step, len(self.began))
        first = self.began[number - 1]
        end = self.began[number] if number < len(self.began) else math.inf
        return first, math.inf if end == first else end

    @property
    def right(self) -> bool:
        """Whether the verdict and, for a failing case, the step are right; False if the truth is unknown."""
        return self.outcome in (Outcome.TN, Outcome.AFC)

    @property
    def grounded(self) -> bool | None:
        """Whether the recording shows the expected result of every step that the tester calls passing.

        None if no step has an expected result that a program can check.
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
