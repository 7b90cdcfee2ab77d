"""The agent `planner`: one prompt carries out a step of a test case, another judges its expected result."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

from stressweb.core.verdict import Cause, Verdict
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Brief, Observation
from stressweb.plugins.test_case import EXPECTED, start_text, step_text
from stressweb.runner.agents.llm.answer import Unreadable
from stressweb.runner.agents.llm.marks import Marks
from stressweb.runner.agents.llm.prompt import Message, Role, instructions, page_message
from stressweb.runner.agents.llm.request_options import RequestOptions
from stressweb.runner.agents.model import GaveUp, Model
from stressweb.runner.agents.overlay import Overlay
from stressweb.runner.agents.planner_roles import ACTOR, ASSERTOR, CLEARING, DECIDING, LOOKING, MARKED
from stressweb.runner.agents.testers import verdict_action

_LONGEST_NOTE = 300


class ScriptStep(NamedTuple):
    """A step of a test case, as text."""

    action: str
    expected: str
    """Expected result; empty if the step has none."""


@dataclass
class StepProgress:
    """Progress within the current step."""

    since: int = 0
    """Number of the episode's actions before this step."""
    actions: int = 0
    """Actions in the current attempt, not counting answers to browser dialogs."""
    plan: str = ""
    """The actor's plan for the current attempt."""
    failed: list[str] = field(default_factory=list)
    """Plans that did not work, each with its outcome."""
    acted: str | None = None
    """The actor's note once the step is done; None before."""
    looks: int = 0
    """Actions by which the assertor looked around, not counting those on dialogs."""
    cleared: int = 0
    """The assertor's actions on dialogs."""


class Planner(Model):
    """Runs a test case step by step: one prompt acts, another judges, and neither sees later steps.

    It has the options of `model`. The agent, not the model, keeps track of the current step. The actor gets only the
    action of the current step, the assertor its expected result; both get a one-line note for each earlier step. With
    `marks`, elements are numbered on the model's copy of the screenshot and in a list, so the model can address an
    element by its number.
    """

    name = "planner"
    takes = frozenset({"cases"})
    most_actions: ClassVar[int] = 8
    """Maximum actions per attempt at a step, and maximum actions of the assertor on dialogs."""
    further_attempts: ClassVar[int] = 2
    """Attempts after the first, each with a new plan; then the step's action counts as impossible."""
    most_looks: ClassVar[int] = 3
    """How often the assertor may scroll, wait or switch tabs before it decides about a step."""

    def __init__(self, *, marks: bool = True, **options: Any) -> None:
        """Take the options; raises UserError as `model` does."""
        super().__init__(**options)
        self.marks = marks and "screenshots" in self.wants
        if self.marks:
            self.wants |= {"boxes"}

    def start(self, brief: Brief) -> None:
        """Take the brief, and read the steps from its goal."""
        super().start(brief)
        self._script = script_of(brief.goal)
        self._memory: list[str] = []
        """A line for each passed step."""
        self._progress = StepProgress()
        # One decision may go through all remaining steps, each with one answer per attempt and one of the assertor.
        self.decision_seconds *= len(self._script) * (2 + self.further_attempts)

    def act(self, observation: Observation) -> Action:
        """Return the next action; at the end, or at the first failed step, the verdict."""
        self._reset_costs()
        try:
            while len(self._memory) < len(self._script):
                # Each step returns an action, passes (None), or ends the case.
                if (action := self._next(observation)) is not None:
                    return action
        except GaveUp as error:
            return Action(kind="FAIL", message=str(error))
        return verdict_action(Verdict(verdict="pass", steps=("pass",) * len(self._script)))

    def _next(self, observation: Observation) -> Action | None:
        """Return the next action for the current step; None if it passed and the next one begins."""
        progress = self._progress
        if progress.acted is None and (action := self._act(observation)) is not None:
            return action
        noted = progress.acted or ""
        if self._step.expected:
            decided = self._compare(observation)
            if decided.kind == "FAIL":
                return self._failing_verdict("assertion", _line(decided))
            if decided.kind != "DONE":
                return decided
            noted = "; ".join(filter(None, (noted, _line(decided))))
        self._memory.append(f"{self._step.action} {noted}".rstrip())
        self._progress = StepProgress(since=len(observation.history))
        return None

    @property
    def _step(self) -> ScriptStep:
        return self._script[len(self._memory)]

    def _act(self, observation: Observation) -> Action | None:
        """Return the actor's next action, or the verdict if the step cannot be done; None if the step is done."""
        progress = self._progress
        while True:
            # When no actions remain, the actor may still report the outcome of the last one.
            kinds = ACTOR.kinds if progress.actions < self.most_actions else (*DECIDING, "DIALOG")
            answer = self._answer(ACTOR._replace(kinds=kinds), [*self._acting()], observation)
            progress.plan = progress.plan or _line(answer, reasoning=True)
            if answer.kind == "DONE":
                progress.acted = _line(answer)
                return None
            if answer.kind != "FAIL":
                progress.actions += answer.kind != "DIALOG"
                return answer
            progress.failed.append(" -> ".join(filter(None, (progress.plan, _line(answer)))))
            if len(progress.failed) > self.further_attempts:
                return self._failing_verdict("action", _line(answer))
            progress.actions, progress.plan = 0, ""

    def _compare(self, observation: Observation) -> Action:
        """Return the assertor's decision, DONE or FAIL, or its next action before it decides."""
        progress, overlay = self._progress, Overlay(observation)
        looking = LOOKING if progress.looks < self.most_looks else ()
        clearing = CLEARING if overlay.is_open and progress.cleared < self.most_actions else ()
        role = ASSERTOR._replace(kinds=(*DECIDING, *looking, *clearing))
        expected = f"{EXPECTED}{self._step.expected}"
        answer = self._answer(
            role, (self._current, expected, self._earlier_steps), observation, partial(_clearing, overlay)
        )
        progress.looks += answer.kind in LOOKING
        progress.cleared += answer.kind in CLEARING
        return answer

    def _answer(
        self,
        role: Role,
        heading: Sequence[str],
        observation: Observation,
        check: Callable[[Action], None] = lambda action: None,
    ) -> Action:
        """Return the model's action in a role; `check` raises Unreadable for an action that is not allowed."""
        self._request_options.kinds = role.kinds
        # Behind a browser dialog there is no screenshot to draw on.
        marks = Marks(observation) if self.marks and observation.screenshots and observation.boxes else None

        def checked(action: Action) -> Action:
            if action.kind not in role.kinds:
                raise Unreadable(f"action_type is {action.kind!r}; here there are {', '.join(role.kinds)}")
            action = marks.named(action) if marks else action
            check(action)
            return action

        return self._ask(partial(self._messages, role, heading, observation, marks), checked, judges=False)

    def _messages(
        self,
        role: Role,
        heading: Sequence[str],
        observation: Observation,
        marks: Marks | None,
        rejections: Sequence[Message],
        request_options: RequestOptions,
    ) -> list[Message]:
        # Only this step's actions; notes summarise the earlier ones.
        own = replace(observation, history=observation.history[self._progress.since :])
        if marks and request_options.pictures:
            role = role._replace(rules=(*role.rules, MARKED))
            heading = (*heading, f"Marks on the picture of the page now:\n{marks}")
            own = replace(own, screenshots=(marks.drawn(), *own.screenshots[1:]))
        return [
            {"role": "system", "content": instructions(self.view, pictures=request_options.pictures, role=role)},
            page_message(
                "\n\n".join(heading),
                own,
                self.view,
                request_options.budget,
                pictures=request_options.pictures,
                files=self.brief.files,
            ),
            *rejections,
        ]

    def _acting(self) -> Iterator[str]:
        """Yield the parts of the actor's message about the test case."""
        yield from (self._current, self._earlier_steps)
        if self._progress.failed:
            yield "Plans for this step that did not work:\n" + "\n".join(f"- {plan}" for plan in self._progress.failed)

    @property
    def _current(self) -> str:
        return f"Step {len(self._memory) + 1}: {self._step.action}"

    @property
    def _earlier_steps(self) -> str:
        notes = (f"{number}. {note}" for number, note in enumerate(self._memory, start=1))
        return "Earlier steps:\n" + ("\n".join(notes) or "none")

    def _failing_verdict(self, cause: Cause, note: str) -> Action:
        passed = len(self._memory)
        remaining = len(self._script) - passed - 1
        steps = ("pass",) * passed + ("fail",) + ("not run",) * remaining
        return verdict_action(Verdict(verdict="fail", step=passed + 1, cause=cause, steps=steps, note=note))


def script_of(text: str) -> list[ScriptStep]:
    """Return the steps in the text of a test case."""
    steps = list[ScriptStep]()
    while lines := step_text(text, len(steps) + 1):
        action, *expected = lines
        if not steps and (start := start_text(text)):
            action = f"{start} {action}"
        steps.append(ScriptStep(action, "".join(expected).removeprefix(EXPECTED)))
    return steps


def _line(answer: Action, *, reasoning: bool = False) -> str:
    """Return an answer's message (or else its reasoning) on one line; with `reasoning`, only the reasoning."""
    text = answer.reasoning if reasoning else answer.message or answer.reasoning
    line = " ".join((text or "").split())
    return line if len(line) <= _LONGEST_NOTE else f"{line[: _LONGEST_NOTE - 1]}…"


def _clearing(overlay: Overlay, action: Action) -> None:
    """Raise Unreadable for an action on the page behind a dialog."""
    if action.kind in CLEARING and not overlay.is_target(action):
        raise Unreadable(f"{action.kind} is for the dialog that lies over the page; aim at what is in it by CSS")
