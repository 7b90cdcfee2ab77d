"""The agent that acts at random, as a baseline: its success rate is that of chance."""

import re
from collections.abc import Callable, Mapping, Sequence

from lxml.html import HtmlElement

from stressweb.core import draws
from stressweb.perception.dom_view import DomView
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation

STEPS = 20
"""Default number of actions before it claims success."""
_PRESSED = ("link", "button", "menuitem", "tab")
_TICKED = ("checkbox", "radio", "switch")
_TYPED = ("textbox", "searchbox", "spinbutton")
_LISTS = ("combobox", "listbox")
_WORD = re.compile(r"[^\W\d_]{3,}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LONGEST = 3
"""Maximum number of words in an entry."""
# Fields that only accept a special format.
_UNTYPED = ("color", "range", "month", "week", "datetime-local")
_SHARES: Mapping[str, int] = {
    "press": 10,
    "fill": 5,
    "choose": 3,
    "tick": 3,
    "upload": 3,
    "key": 1,
    "scroll": 1,
    "back": 1,
}
"""Relative frequencies of the actions, among those possible on the page."""

type Draw = Callable[[str], float]
"""Returns a number from 0 to 1 for a question; within a step, the same question gives the same number."""


class Wander(Agent):
    """Does random valid actions, the same for the same seed and pages, then claims success."""

    name = "wander"
    deterministic = True
    wants = frozenset({"boxes"})

    def __init__(self, *, steps: int = STEPS) -> None:
        """Take the number of actions before it claims success."""
        self.steps = steps

    def act(self, observation: Observation) -> Action:
        """Return a random action that is possible on the page."""
        step = len(observation.history)
        if step >= self.steps:
            return Action(kind="DONE", message=f"I did {step} things.")

        def draw(question: str) -> float:
            # Keyed by step and question, so that adding or removing one draw does not change the others.
            return draws.unit("wander", self.brief.seed, self.brief.goal, step, question)

        if observation.dialog is not None:
            return Action(kind="DIALOG", accept=draw("accept") < 0.5)
        return self._random_action(DomView(observation), draw)

    def _random_action(self, page: DomView, draw: Draw) -> Action:
        offers = {
            # Pressing a file field opens a file chooser, which is not part of the page.
            "press": [element for element in _reachable(page, _PRESSED) if not page.takes_files(element)],
            "fill": [element for element in _reachable(page, _TYPED) if element.get("type") not in _UNTYPED],
            "choose": [element for element in _reachable(page, _LISTS) if page.options(element)],
            "tick": _reachable(page, _TICKED),
            "upload": [
                element for element in _reachable(page, _PRESSED) if page.takes_files(element) and self.brief.files
            ],
            "key": ["Tab", "Escape", "PageDown"],
            "scroll": [600, -600],
            # Before the first page there is nothing to go back to.
            "back": [] if page.url == self.brief.start_url else [page.url],
        }
        # Leave out kinds that are impossible on this page, or their share would be idle steps.
        kinds = [kind for kind, share in _SHARES.items() for _ in range(share) if offers[kind]]
        kind = _pick(kinds, draw("kind"))
        target = _pick(offers[kind], draw("target"))
        if kind == "upload":
            return Action(kind="UPLOAD", selector=page.selector(target), files=(_pick(self.brief.files, draw("file")),))
        return _ACTIONS[kind](page, target, draw)


def _reachable(page: DomView, roles: Sequence[str]) -> list[HtmlElement]:
    """Return the enabled elements of some roles; while a dialog is open, only those in it."""
    dialogs = page.dialogs()
    # Elements behind a dialog cannot be pressed, so trying would waste steps.
    enabled = (element for element in page.any_of(roles) if not page.disabled(element))
    return [element for element in enabled if not dialogs or page.inside(element, dialogs[-1])]


def _pick[T](choices: Sequence[T], share: float) -> T:
    return choices[int(share * len(choices))]


def _press(page: DomView, element: HtmlElement, draw: Draw) -> Action:
    return Action(kind="CLICK", selector=page.selector(element))


def _fill(page: DomView, element: HtmlElement, draw: Draw) -> Action:
    return Action(kind="FILL", selector=page.selector(element), text=_entry(page, element, draw))


def _entry(page: DomView, element: HtmlElement, draw: Draw) -> str:
    """Return a plausible entry for a field, using words and dates from the page."""
    words = _WORD.findall(page.text) or ["something"]
    match element.get("type"):
        case "number":
            return str(1 + int(9 * draw("number")))
        case "date":
            dates: list[str] = _DATE.findall(page.text) or [""]
            return _pick(dates, draw("date"))
        case "time":
            return f"{int(24 * draw('hour')):02}:{15 * int(4 * draw('quarter')):02}"
        case "email":
            # No address under `.test` can belong to anybody (RFC 2606).
            return f"{_pick(words, draw('user'))}@{_pick(words, draw('host'))}.test".lower()
        case _:
            count = 1 + int(_LONGEST * draw("words"))
            return " ".join(_pick(words, draw(f"word {index}")) for index in range(count))


def _choose(page: DomView, element: HtmlElement, draw: Draw) -> Action:
    option = _pick(page.options(element), draw("option"))
    return Action(kind="SELECT", selector=page.selector(element), option=option)


def _tick(page: DomView, element: HtmlElement, draw: Draw) -> Action:
    surface = page.surface(element)
    if surface is not element:
        return Action(kind="CLICK", selector=page.selector(surface))
    # A radio button cannot be unticked.
    wanted = "UNCHECK" if page.checked(element) and element.get("type") != "radio" else "CHECK"
    return Action(kind=wanted, selector=page.selector(element))


_ACTIONS: Mapping[str, Callable[[DomView, object, Draw], Action]] = {
    "press": _press,
    "fill": _fill,
    "choose": _choose,
    "tick": _tick,
    "key": lambda page, key, draw: Action(kind="PRESS", key=str(key)),
    "scroll": lambda page, delta, draw: Action(kind="SCROLL", delta=delta),
    "back": lambda page, url, draw: Action(kind="GO_BACK"),
}
