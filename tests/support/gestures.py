"""The script of a task: its trajectory as gestures that any library can replay.

A gesture has an element's `role`, its accessible `name`, `nth` (its position among elements of that role and name) and
its action `does`: `click`, `fill` or `select`, the latter two with a `text`.
"""

from typing import TypedDict

from lxml.html import HtmlElement

from stressweb.html.accessible_name import role
from stressweb.perception.dom_view import DomView
from stressweb.perception.targets import targets
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation
from stressweb.plugins.steps import Step, Verb
from stressweb.runner.agents.script import option, plain
from tests.support.playing import Player

_DOES: dict[Verb, str] = {"enter": "fill", "choose": "select"}
"""All other verbs are clicks."""


class Gesture(TypedDict):
    """One gesture of a script."""

    does: str
    role: str
    name: str
    nth: int
    text: str


class _Scribe(Agent):
    """Follows the trajectory and records the element of each step as a gesture."""

    name = "scribe"
    wants = frozenset({"boxes"})

    def start(self, brief: Brief) -> None:
        super().start(brief)
        self._steps = list(brief.steps)
        self.script: list[Gesture] = []

    def act(self, observation: Observation) -> Action:
        if not self._steps:
            return Action(kind="DONE")
        page, step = DomView(observation), self._steps.pop(0)
        element = targets(page, step)[0]
        self.script.append(_gesture(page, step, element))
        return plain(page, step, element)


def _gesture(page: DomView, step: Step, element: HtmlElement) -> Gesture:
    name, kind = page.names.name(element), role(element) or ""
    twins = {twin for twin in page.find([kind], name) if page.names.name(twin) == name}
    text = option(page, step, element) if step.verb == "choose" else step.value or ""
    nth = [twin for twin in page.root.iter("*") if twin in twins].index(element)
    return Gesture(does=_DOES.get(step.verb, "click"), role=kind, name=name, nth=nth, text=text)


def script_of(player: Player, task: str) -> list[Gesture]:
    """Return the script of a task, in a world where it reaches the goal."""
    scribe = _Scribe()
    assert player(scribe, task).success, f"the trajectory of {task} does not reach its goal"
    return scribe.script
