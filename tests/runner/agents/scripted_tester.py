"""A scripted model that tests as a careful person does: it does what steps in our words say, and compares quoted words.

It knows nothing but the messages that it is sent. Where a test plants an answer, it gives that one instead.
"""

import html
import json
import re
from collections.abc import Callable
from typing import NamedTuple

from stressweb.plugins.scripted_model import Body, Exchange, act, say

_QUOTED = r""""([^"]*)\""""
_DOES: dict[str, Callable[..., str]] = {
    rf"open {_QUOTED}": lambda name: act("CLICK", "I follow it", selector=f'role=link[name="{name}"] >> nth=0'),
    rf"press {_QUOTED}": lambda name: act("CLICK", "I press it", selector=f'role=button[name="{name}"] >> nth=0'),
    rf"enter {_QUOTED} into {_QUOTED}": lambda value, name: act(
        "FILL", selector=f'role=textbox[name="{name}"]', text=value
    ),
    rf"choose {_QUOTED} for {_QUOTED}": lambda value, name: act(
        "SELECT", selector=f'role=combobox[name="{name}"]', option=value
    ),
    rf"tick {_QUOTED}": lambda name: act("CHECK", selector=f'role=checkbox[name="{name}"]'),
}


class Question(NamedTuple):
    """What a part of the planner is asked."""

    role: str
    """actor or assertor."""
    step: int
    action: str
    expected: str
    done: int
    """Actions for this step so far."""
    last: str
    """What came of the last of them."""
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
"""What is answered to a question; None: what a careful person answers."""


def scripted(planted: Planted) -> Callable[[Exchange], None]:
    """Return what answers the requests of a planner."""

    def answer(asked: Exchange) -> None:
        question = Question.of(asked.body)
        say(planted(question) or (acts(question) if question.role == "actor" else compares(question)))(asked)

    return answer


def acts(question: Question) -> str:
    """Do the parts of a step one after the other; say that it cannot be done where one fails."""
    if question.last.startswith("failed"):
        return act("FAIL", message=f"It {question.last}.")
    parts = [
        (found.start(), does(*found.groups()))
        for pattern, does in _DOES.items()
        for found in re.finditer(pattern, question.action, re.IGNORECASE)
    ]
    todo = [answer for _, answer in sorted(parts)][question.done :]
    return todo[0] if todo else act("DONE", message=f"I did it: {question.action}")


def compares(question: Question) -> str:
    """Say whether the words that are expected in quotes stand on the page, in order."""
    # Pages stand as markup in a prompt.
    page = html.unescape(question.text.partition("\n\nPage, ")[2])
    words = [json.dumps(word)[1:-1] for word in re.findall(_QUOTED, question.expected)]
    holds = re.search(".*".join(map(re.escape, words)), page, re.DOTALL)
    return act("DONE" if holds else "FAIL", message="I compared the words.")
