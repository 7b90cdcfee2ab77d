"""A scripted model that tests carefully: it performs the steps of a case and compares quoted words.

It sees only the messages that it receives. A test can replace its answers with planted ones.
"""

import html
import json
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from stressweb.plugins.scripted_model import Body, Exchange, act, say
from stressweb.runner.registry import Library

_QUOTED = r""""([^"]*)\""""
_ACTIONS: dict[str, Callable[..., str]] = {
    rf"open {_QUOTED}": lambda name: act("CLICK", "I follow it", selector=f'role=link[name="{name}"] >> nth=0'),
    rf"press {_QUOTED}": lambda name: act("CLICK", "I press it", selector=f'role=button[name="{name}"] >> nth=0'),
    rf"enter {_QUOTED} into {_QUOTED}": lambda text, name: act(
        "FILL", selector=f'role=textbox[name="{name}"]', text=text
    ),
    rf"choose {_QUOTED} for {_QUOTED}": lambda option, name: act(
        "SELECT", selector=f'role=combobox[name="{name}"]', option=option
    ),
    rf"tick {_QUOTED}": lambda name: act("CHECK", selector=f'role=checkbox[name="{name}"]'),
}


LIBRARY = Library()


def case_of(text: str, cases: Iterable[str]) -> str:
    """Return which of `cases`, in world 0, a request of a tester with one prompt is about."""
    for case in cases:
        goal = LIBRARY.goal(case, 0).text
        assert goal
        if text.startswith(f"Goal: {goal}\n"):
            return case
    raise AssertionError(f"no case has this goal: {text[:200]}")


class Question(NamedTuple):
    """Request of one role of the planner."""

    role: str
    """actor or assertor."""
    step: int
    action: str
    expected: str
    done: int
    """Actions for this step so far."""
    last: str
    """Outcome of the last of these actions."""
    text: str

    @staticmethod
    def of(body: Body) -> "Question":
        """Read a request."""
        role = "assertor" if "You judge whether" in body["messages"][0]["content"] else "actor"
        text = body["messages"][1]["content"][0]["text"]
        heading, _, rest = text.partition("\n\nActions so far:\n")
        step = re.match(r"Step (\d+): (.*)", heading)
        assert step
        expected = re.search(r"^Expected: (.*)$", heading, re.MULTILINE)
        outcomes = re.findall(r"^\d+\. \{.*\} -> (.*)$", rest.partition("\n\nPage, ")[0], re.MULTILINE)
        return Question(
            role, int(step[1]), step[2], expected[1] if expected else "", len(outcomes), outcomes[-1] if outcomes else "",
            text,
        )  # fmt: skip


type Planted = Callable[[Question], str | None]
"""Planted answer to a question; None means the scripted tester's own answer."""


def scripted(planted: Planted) -> Callable[[Exchange], None]:
    """Return a function that answers the requests of a planner."""

    def answer(exchange: Exchange) -> None:
        question = Question.of(exchange.body)
        say(planted(question) or (acts(question) if question.role == "actor" else compares(question)))(exchange)

    return answer


def acts(question: Question) -> str:
    """Return the next action of a step, or FAIL after a failed action."""
    if question.last.startswith("failed"):
        return act("FAIL", message=f"It {question.last}.")
    parts = [
        (match.start(), does(*match.groups()))
        for pattern, does in _ACTIONS.items()
        for match in re.finditer(pattern, question.action, re.IGNORECASE)
    ]
    todo = [answer for _, answer in sorted(parts)][question.done :]
    return todo[0] if todo else act("DONE", message=f"I did it: {question.action}")


def compares(question: Question) -> str:
    """Return DONE if the page contains the expected quoted words in order, else FAIL."""
    # The prompt contains the page as markup.
    page = html.unescape(question.text.partition("\n\nPage, ")[2])
    words = [json.dumps(word)[1:-1] for word in re.findall(_QUOTED, question.expected)]
    holds = re.search(".*".join(map(re.escape, words)), page, re.DOTALL)
    return act("DONE" if holds else "FAIL", message="I compared the words.")
