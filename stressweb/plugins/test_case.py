"""A test case: steps with action and expected result in words, and their form for programs."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from stressweb.core.verdict import Truth
from stressweb.plugins.steps import Step

type CheckKind = Literal[
    "heading", "message", "line", "field", "ticked", "unticked", "listed", "gone", "count", "order", "button", "label"
]
"""What is compared: the page's heading, a message, a text on it, what a field holds, whether a box is ticked, whether
an entry is listed or no longer is, how many are, which of two comes first, whether there is a button, or a field."""


class Check(BaseModel):
    """One expected result."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: CheckKind
    says: str
    """What must be there: the text, the value of the field, the label of the box, the number, the first entry."""
    of: str = ""
    """The label of the field whose value is checked, or the entry that must come later."""


class CaseStep(BaseModel):
    """One step of a test case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: str
    expected: str = ""
    """The expected result; empty where nothing can be seen."""
    steps: tuple[Step, ...] = Field(default=(), repr=False)
    """What a program does for the action; never shown to an agent."""
    check: Check | None = Field(default=None, repr=False)
    """What a program compares for the expected result; never shown to an agent."""


class TestCase(BaseModel):
    """A test case in one world."""

    # Otherwise pytest would collect it as a class of tests.
    __test__ = False

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    """`cases/shop/checkout` for the passing case of a task, `cases/shop/checkout#F2` for a failing one made from it."""
    title: str
    start: str = "/"
    steps: tuple[CaseStep, ...] = Field(min_length=1)
    truth: Truth
    """Never shown to an agent."""

    @property
    def scripted(self) -> bool:
        """Whether a program can execute it: a user's own case has words only."""
        return any(step.steps for step in self.steps)


EXPECTED = "Expected: "
"""Prefix of the line with an expected result."""
_BEGIN = "Begin at the path"
_ENDING = (
    "Stop at the first step that fails: its action cannot be done, or its expected result does not appear. End with"
    " your verdict as the message, in JSON, either\n"
    '{"verdict": "pass"}\nor, with the number of the step, and "action" or "assertion" as the cause,\n'
    '{"verdict": "fail", "step": 3, "cause": "assertion"}.\n'
    'You may add "steps", a list of "pass", "fail" and "not run", and "note".'
)


def brief(case: TestCase) -> str:
    """Return a test case as instructions for a tester."""
    lines = ["Run this test case and judge whether it passes.", "", " ".join(case.title.splitlines())]
    if case.start != "/":
        lines.append(f"{_BEGIN} {case.start} of the site.")
    for number, step in enumerate(case.steps, start=1):
        lines.append(f"{number}. {_sentence(step.action)}")
        if step.expected:
            lines.append(f"   {EXPECTED}{_sentence(step.expected)}")
    return "\n".join([*lines, "", _ENDING])


def start_text(text: str) -> str:
    """Return the line about the start from a text of `brief`; "" if it begins at the first page."""
    return next((line for line in text.splitlines()[3:4] if line.startswith(_BEGIN)), "")


def step_text(text: str, number: int) -> list[str]:
    """Return the lines about a step from a text of `brief`; none if it has no such step."""
    # After the title, which may begin with a number itself.
    lines = text.splitlines()[3:]
    place = next((position for position, line in enumerate(lines) if line.startswith(f"{number}. ")), None)
    if place is None:
        return []
    expected = [line.strip() for line in lines[place + 1 : place + 2] if line.startswith("   ")]
    return [lines[place].removeprefix(f"{number}. "), *expected]


def _sentence(text: str) -> str:
    # One line each, because a separate line would look like a step.
    text = " ".join(text.splitlines())
    return text if text.endswith((".", "!", "?")) else f"{text}."
