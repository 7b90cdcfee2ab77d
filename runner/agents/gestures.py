"""Gestures that carry out a step, and pointers, which address its target by selector, position or tree."""

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

# A remapped control acts on a double click, or on the second of two key presses with no other event in between: hence
# two keys in a row. The mode `failure` may drop any of them, so each gesture is repeated.
_MARKED: tuple[Gesture, ...] = ("twice", "twice", "twice", "twice", "key", "key")
_UNMARKED: tuple[Gesture, ...] = ("once", "key", "key", "key")
_HEARD: tuple[Gesture, ...] = (*("key",) * 6, "once")
# At the highest failure rate, 0.5, fifteen tries in a row fail by chance once in 33,000 times.
_LAST_RESORT = 15
_TOP, _BOTTOM, _MIDDLE, _HEIGHT = 40.0, 700.0, 320.0, 800.0
"""Pixels: allowed vertical range of a target's centre, where scrolling moves it, and the viewport's height. The range
leaves out fixed bars at the edges; an unscrolled page has none over its top."""
_EDGE = 4.0
"""Horizontal position of the mouse, in pixels, at which the wheel scrolls only the page."""
_DRAWN_BY_BROWSER = ("date", "time", "datetime-local", "month", "week", "color", "range")


def pick(tries: int, marked_at: int | None) -> Gesture:
    """Return the gesture to try next, after `tries` without effect.

    `marked_at` is the number of tries after which a click only selected the control, None if that has not happened. A
    selected control gets a double click. Other controls get Enter: their click may have been dropped, and a double
    click would press an ordinary control twice. One Enter acts at most once, and two in a row replace a double click.
    The double click comes only after so many tries that dropped actions are an unlikely reason.
    """
    if marked_at is not None:
        return _MARKED[(tries - marked_at) % len(_MARKED)]
    return "twice" if tries >= _LAST_RESORT else _UNMARKED[tries % len(_UNMARKED)]


class Pointer(ABC):
    """A way to perceive a page and to carry out steps on it."""

    wants = frozenset({"boxes"})
    """What an observation must contain besides the document."""

    def read(self, observation: Observation) -> DomView:
        """Return the page as this pointer perceives it: by default, the document with element boxes."""
        return DomView(observation)

    def pick(self, tries: int, marked_at: int | None) -> Gesture:
        """Return the gesture to try next, after `tries` without effect."""
        return pick(tries, marked_at)

    @abstractmethod
    def aim(self, page: DomView, element: HtmlElement) -> Action | None:
        """Return an action that brings the element within reach; None if it already is."""

    @abstractmethod
    def do(self, page: DomView, step: Step, element: HtmlElement, gesture: Gesture) -> list[Action]:
        """Return the actions that carry out a step with a gesture."""


class BySelector(Pointer):
    """Addresses elements by selectors, computed from the current observation."""

    def aim(self, page: DomView, element: HtmlElement) -> Action | None:
        """Return None: the browser scrolls a selector's element into view."""
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

    The tree does not show that a click only selected a control. A key press acts at most once, so it can be repeated
    while nothing happens; occasional clicks serve controls that cannot be focused.
    """

    wants = frozenset({"tree"})

    def read(self, observation: Observation) -> DomView:
        """Return the accessibility tree."""
        return TreeView(observation)

    def pick(self, tries: int, marked_at: int | None) -> Gesture:
        """Return a key press, and occasionally a click."""
        return "twice" if tries >= _LAST_RESORT else _HEARD[tries % len(_HEARD)]


class ByCoordinates(Pointer):
    """Addresses elements by the centre of their boxes, and types with the keyboard.

    The browser, not the page, draws the list of a select and the picker of a date or colour, so these have no position
    and are set by selector.
    """

    def __init__(self) -> None:
        """Start without a previous scroll."""
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
        # The last scroll moved nothing: the element is at the end of the page, or in a fixed bar.
        if centre == self._aimed:
            # Do not scroll again while it is in view: that would separate two key presses that must follow each other.
            if not 0 <= centre[1] <= _HEIGHT:
                self._aimed = None
            return None
        self._aimed = centre
        delta = round(centre[1] - _MIDDLE)
        # Over a focused number field, the wheel would change the number just entered.
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
                # Goes to the focused element, which is the one clicked first.
                return [Action(kind="PRESS", key=_key(step))]
            return [Action(kind="CLICK", x=x, y=y, click_count=2 if gesture == "twice" else 1)]
        if not page.value(element):
            return [_typed(step.value or "").model_copy(update={"x": x, "y": y})]
        return [*self._mark(element, x, y), _typed(step.value or "")]

    @staticmethod
    def _mark(element: HtmlElement, x: float, y: float) -> list[Action]:
        """Return the actions that focus a field and select its content."""
        # A triple click selects all of a single-line field, but only one paragraph of a multi-line one.
        if element.tag == "input":
            return [Action(kind="CLICK", x=x, y=y, click_count=3)]
        return [Action(kind="CLICK", x=x, y=y), Action(kind="HOTKEY", keys="Control+a")]


def _key(step: Step) -> str:
    """Return the key that acts like a click on the step's target; a box gets Space, since Enter may send its form."""
    return "Enter" if step.verb in PRESSES else "Space"


def _typed(text: str) -> Action:
    """Return the action that replaces the selected text with `text`."""
    return Action(kind="TYPE", text=text) if text else Action(kind="PRESS", key="Delete")
