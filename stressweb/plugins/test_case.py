"""Test cases: steps with action and expected result in words, and their form for programs."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from stressweb.core.verdict import Truth
from stressweb.plugins.steps import Step

type CheckKind = Literal[
    "heading", "message", "line", "field", "ticked", "unticked", "listed", "gone", "count", "order", "button", "label"
]
"""The subject of a check: the page's heading, a message, a text, the value of a field, a ticked or unticked box, a
listed or missing entry, the number of entries, the order of two entries, a button, or a field's label."""


class Check(BaseModel):
    """One expected result."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: CheckKind
    says: str
    """The expected text, value of the field, label of the box, number, or first entry."""
    of: str = ""
    """The label of the field whose value is checked, or the entry that must come later."""


class CaseStep(BaseModel):
    """One step of a test case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: str
    expected: str = ""
    """The expected result; empty if nothing is visible."""
    steps: tuple[Step, ...] = Field(default=(), repr=False)
    """The action as steps for scripted testers; not in the text of the brief."""
    check: Check | None = Field(default=None, repr=False)
    """The expected result as a check for scripted testers; not in the text of the brief."""


class TestCase(BaseModel):
    """A test case in one world."""

    # Keeps pytest from collecting it as a class of tests.
    __test__ = False

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    """`cases/shop/checkout` for a task's passing case, `cases/shop/checkout#F2` for a failing case made from it."""
    title: str
    start: str = "/"
    steps: tuple[CaseStep, ...] = Field(min_length=1)
    truth: Truth
    """The truth; hidden from agents."""

    @property
    def scripted(self) -> bool:
        """Whether a program can execute it; a user's own case has only words."""
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
    """Return the line about the start page in a text of `brief`; "" if there is none."""
    return next((line for line in text.splitlines()[3:4] if line.startswith(_BEGIN)), "")


def step_text(text: str, number: int) -> list[str]:
    """Return the lines about a step in a text of `brief`; an empty list if there is no such step."""
    # After the title, which may itself begin with a number.
    lines = text.splitlines()[3:]
    first = next((position for position, line in enumerate(lines) if line.startswith(f"{number}. ")), None)
    if first is None:
        return []
    expected = [line.strip() for line in lines[first + 1 : first + 2] if line.startswith("   ")]
    return [lines[first].removeprefix(f"{number}. "), *expected]


def _sentence(text: str) -> str:
    # On one line, because a second line could look like a step.
    text = " ".join(text.splitlines())
    return text if text.endswith((".", "!", "?")) else f"{text}."
