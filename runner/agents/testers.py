"""Testers without a language model, as baselines: their error rates are known exactly."""

from typing import ClassVar

from stressweb.cases.checking import holds
from stressweb.cases.sight import read
from stressweb.core.verdict import Cause, Verdict
from stressweb.perception.dom_view import DomView
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation, TaskKind
from stressweb.runner.agents.resilient import Resilient, StepAttempt

_CASES: frozenset[TaskKind] = frozenset({"cases"})
LOOKS = 3
"""Looks at a page, a second apart, after which an expected result counts as missing."""


def verdict_action(verdict: Verdict) -> Action:
    """Return the action that ends an episode with a verdict."""
    return Action(kind="DONE", message=verdict.model_dump_json(exclude_defaults=True))


class AlwaysPass(Agent):
    """Always gives the verdict pass, without looking at the page."""

    name = "always-pass"
    takes = _CASES
    deterministic = True

    def act(self, observation: Observation) -> Action:
        """Give the verdict."""
        return verdict_action(Verdict(verdict="pass"))


class AlwaysFail(Agent):
    """Always gives the verdict fail at the first step, without looking at the page."""

    name = "always-fail"
    takes = _CASES
    deterministic = True

    def act(self, observation: Observation) -> Action:
        """Give the verdict."""
        return verdict_action(Verdict(verdict="fail", step=1, cause="assertion"))


class Oracle(Resilient):
    """Does each step of a test case until it takes effect, checks the expected result, and gives the verdict.

    It sees only the text of the steps and the page, and does nothing beyond the steps, except answering pop-ups.
    """

    name = "oracle"
    takes = _CASES
    follows_program = True
    checks: ClassVar[bool] = True
    """Whether it checks expected results."""

    def __init__(self) -> None:
        """Choose the abilities."""
        super().__init__()

    def start(self, brief: Brief) -> None:
        """Take the case."""
        super().start(brief)
        self._judged = 0
        """Number of steps of the case that are done and checked."""
        self._looks = 0
        self._ends: list[int] = []
        """Number of actions done at the end of each step of the case."""
        for step in brief.case_steps:
            self._ends.append(len(step.steps) + (self._ends[-1] if self._ends else 0))

    def act(self, observation: Observation) -> Action:
        """Return the next action; at the end, or when it cannot continue, the verdict."""
        action = super().act(observation)
        return self._failing_verdict("action") if action.kind == "FAIL" else action

    def _pending_action(self, page: DomView) -> Action | None:
        """Check every step whose actions are done; return an action if a check fails or no step remains."""
        while self._judged < len(self._ends) and self._ends[self._judged] <= self._position:
            check = self.brief.case_steps[self._judged].check
            if self.checks and check and not holds(check, read(page.url, page.root, page.names, page.shown)):
                self._looks += 1
                return Action(kind="WAIT", seconds=1) if self._looks < LOOKS else self._failing_verdict("assertion")
            self._judged, self._looks = self._judged + 1, 0
        return verdict_action(Verdict(verdict="pass")) if self._judged == len(self._ends) else None

    def _search(self, page: DomView, attempt: StepAttempt) -> Action:
        """Look for a missing target on the current page only; a tester does not leave the script."""
        for move in (self._scroll_on, self._wait)[attempt.searches :]:
            attempt.searches += 1
            if self.search and (action := move(page, attempt)) is not None:
                return action
        return Action(kind="FAIL")

    def _failing_verdict(self, cause: Cause) -> Action:
        return verdict_action(Verdict(verdict="fail", step=self._judged + 1, cause=cause))


class Gullible(Oracle):
    """Does the steps of a test case like the oracle, but never checks an expected result."""

    name = "gullible"
    checks = False


class Retry(Oracle):
    """Does each action at most `tries` times, by clicks and entries; the step fails if none takes effect."""

    name = "retry"

    def __init__(self, *, tries: int = 3) -> None:
        """Take the maximum number of tries per action."""
        super().__init__()
        self.gesture = False
        self.most_tries = tries


class Literal(Retry):
    """Does each action once, as written, and ignores pop-ups."""

    name = "literal"

    def __init__(self) -> None:
        """Choose the abilities."""
        super().__init__(tries=1)
        self.popups = self.search = False
