"""How a step is done: by which gesture, and whether a selector or a position addresses the target."""

from abc import ABC, abstractmethod
from typing import Literal

from lxml.html import HtmlElement

from stressweb.perception.dom_view import DomView
from stressweb.perception.tree_view import TreeView
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Observation
from stressweb.plugins.steps import Step
from stressweb.runner.agents.script import PRESSES, plain

type Gesture = Literal["once", "twice", "key"]

# A remapped control acts on a double click, or on the second of two keys with no other event in between: hence two keys
# in a row. `failure` may lose any of them, so there are several of each.
_MARKED: tuple[Gesture, ...] = ("twice", "twice", "twice", "twice", "key", "key")
_UNMARKED: tuple[Gesture, ...] = ("once", "key", "key", "key")
_HEARD: tuple[Gesture, ...] = (*("key",) * 6, "once")
# At the highest rate of loss, 0.5, fifteen tries in a row are lost by chance once in 33,000 times.
_LAST_RESORT = 15
_TOP, _BOTTOM, _MIDDLE, _HEIGHT = 40.0, 700.0, 320.0, 800.0
"""Where the centre of a target may lie, in pixels of a viewport of that height; scrolling aims at the middle, away from
bars that stay at the edges. A page that is not scrolled has no such bar over its own top."""
_EDGE = 4.0
"""Where, in pixels from the left, the mouse turns the wheel over nothing but the page."""
_DRAWN_BY_BROWSER = ("date", "time", "datetime-local", "month", "week", "color", "range")


def pick(tries: int, marked_at: int | None) -> Gesture:
    """Return the gesture to try next, after `tries` without effect.

    A control that a click merely marked as selected gets a double click. One that showed no sign of the click does
    not: the click may have been lost, and doubling an ordinary control acts twice. It gets Enter, each of which acts
    once at most, and two of which in a row do what a double click does; a double click comes only when loss is no
    longer a likely reason.
    """
    if marked_at is not None:
        return _MARKED[(tries - marked_at) % len(_MARKED)]
    return "twice" if tries >= _LAST_RESORT else _UNMARKED[tries % len(_UNMARKED)]


class Pointer(ABC):
    """A way to perceive a page and to carry out steps on it."""

    wants = frozenset({"boxes"})
    """What an observation must hold beyond the document."""

    def read(self, observation: Observation) -> DomView:
        """Return the page as this pointer perceives it: the document with its boxes."""
        return DomView(observation)

    def pick(self, tries: int, marked_at: int | None) -> Gesture:
        """Return the gesture to try next, after `tries` without effect."""
        return pick(tries, marked_at)

    @abstractmethod
    def aim(self, page: DomView, element: HtmlElement) -> Action | None:
        """Return the action that first brings the element within reach; None if it is within reach."""

    @abstractmethod
    def do(self, page: DomView, step: Step, element: HtmlElement, gesture: Gesture) -> list[Action]:
        """Return the actions that carry out a step by a gesture."""


class BySelector(Pointer):
    """Addresses elements by selectors, which it makes from the current observation and uses at once."""

    def aim(self, page: DomView, element: HtmlElement) -> Action | None:
        """Return None: the browser brings what a selector names into view."""
        return None

    def do(self, page: DomView, step: Step, element: HtmlElement, gesture: Gesture) -> list[Action]:
        """Return one action; only presses and ticks have several gestures."""
        if gesture == "once" or step.verb in ("enter", "choose", "upload"):
            return [plain(page, step, element)]
        if gesture == "twice":
            return [Action(kind="CLICK", selector=page.selector(page.surface(element)), click_count=2)]
        return [Action(kind="PRESS", selector=page.selector(element), key=_key(step))]


class ByTree(BySelector):
    """Sees only the accessibility tree and presses with the keyboard, like a user of a screen reader.

    The tree does not show that a control was only selected. A key press acts once at most, so it can be repeated as
    long as nothing happens; the clicks in between are for controls that cannot be focused.
    """

    wants = frozenset({"tree"})

    def read(self, observation: Observation) -> DomView:
        """Return the tree."""
        return TreeView(observation)

    def pick(self, tries: int, marked_at: int | None) -> Gesture:
        """Return a key, and a click at times."""
        return "twice" if tries >= _LAST_RESORT else _HEARD[tries % len(_HEARD)]


class ByCoordinates(Pointer):
    """Addresses elements by the centre of their boxes, and types with the keyboard.

    The list of a select and the picker of a date or a colour are not drawn by the page, so they have no position and
    are set by selector.
    """

    def __init__(self) -> None:
        """Start without a scroll to compare with."""
        self._aimed: tuple[float, float] | None = None
        self._over_number = False

    def aim(self, page: DomView, element: HtmlElement) -> Action | None:
        """Return a scroll that brings the element to the middle; None if it is in view or scrolling moves nothing."""
        if element.tag == "select" or element.get("type") in _DRAWN_BY_BROWSER:
            return None
        centre = page.centre(page.surface(element))
        top = page.box(page.root)
        highest = 0.0 if top is None or top[1] >= 0 else _TOP
        if highest <= centre[1] <= _BOTTOM:
            self._aimed = None
            return None
        # What lies at the end of a page, or in a bar that stays in place, never gets to the middle.
        if centre == self._aimed:
            # It is tried there again and again without a scroll, which would take two keys in a row apart.
            if not 0 <= centre[1] <= _HEIGHT:
                self._aimed = None
            return None
        self._aimed = centre
        delta = round(centre[1] - _MIDDLE)
        # Over the number that has just been entered, the wheel would count it up or down.
        return Action(kind="SCROLL", delta=delta, **({"x": _EDGE, "y": _MIDDLE} if self._over_number else {}))

    def do(self, page: DomView, step: Step, element: HtmlElement, gesture: Gesture) -> list[Action]:
        """Return the actions; an entry first selects the field's content."""
        if element.tag == "select" or element.get("type") in _DRAWN_BY_BROWSER:
            return [plain(page, step, element)]
        self._over_number = element.get("type") == "number"
        x, y = page.centre(page.surface(element))
        if step.verb == "upload":
            return [Action(kind="UPLOAD", x=x, y=y, files=step.files)]
        if step.verb != "enter":
            if gesture == "key":
                # It goes to what has the focus, and that is what was clicked first.
                return [Action(kind="PRESS", key=_key(step))]
            return [Action(kind="CLICK", x=x, y=y, click_count=2 if gesture == "twice" else 1)]
        if not page.value(element):
            return [_typed(step.value or "").model_copy(update={"x": x, "y": y})]
        return [*self._mark(element, x, y), _typed(step.value or "")]

    @staticmethod
    def _mark(element: HtmlElement, x: float, y: float) -> list[Action]:
        """Return the actions that put the cursor into a field and select its content."""
        # Three clicks mark all of a field of one line in a single action. In one of several lines they would mark one
        # paragraph.
        if element.tag == "input":
            return [Action(kind="CLICK", x=x, y=y, click_count=3)]
        return [Action(kind="CLICK", x=x, y=y), Action(kind="HOTKEY", keys="Control+a")]


def _key(step: Step) -> str:
    """Return the key that acts like a click on the step's target: Space ticks a box, Enter may send its form."""
    return "Enter" if step.verb in PRESSES else "Space"


def _typed(text: str) -> Action:
    """Return the action that replaces the selected text by `text`."""
    return Action(kind="TYPE", text=text) if text else Action(kind="PRESS", key="Delete")
