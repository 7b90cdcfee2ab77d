"""Describes in sentences what the modes do to a person's gestures."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from stressweb.core.conditions import Condition
from stressweb.plugins.rule import Control

_KEPT = 200
"""Lines that are kept; older ones are dropped."""

_OF_PAGES = ("chaos", "noise")
"""Modes that change pages but do not disturb gestures."""


class Line(NamedTuple):
    """One line of the log."""

    number: int
    """Number of the line since the last reset, counted from 1."""
    kind: str
    """Selects the colour: "held" if a gesture was disturbed, "passed" if it took effect."""
    text: str


class GestureLog:
    """Turns the reports of pages into lines of text, and counts the changed places on each page."""

    def __init__(self, condition: Condition) -> None:
        """Take the condition, which names the modes with their severities."""
        parts = condition.label.split("+")
        self._labels = {part.partition("@")[0].partition("(")[0]: part for part in parts}
        self._lines: list[Line] = []
        self._count = 0
        self._places: dict[str, Counter[str]] = {}

    def loaded(self, path: str) -> None:
        """Record that a new document is about to be served at a path; reset its counts."""
        self._places[path] = Counter()

    def decided(self, mode: str, event: str, control: Control | None, attempt: int) -> None:
        """Record a mode's decision about a gesture on a control, or about the page if `control` is None."""
        text = described(mode, self._labels.get(mode, mode), event, control, attempt)
        if text:
            self._count += 1
            self._lines.append(Line(self._count, "held" if event == "hit" else "passed", text))
            del self._lines[:-_KEPT]

    def changed(self, mode: str, path: str, places: int) -> None:
        """Record that a mode changed more places in the document at a path."""
        self._places.setdefault(path, Counter())[self._labels.get(mode, mode)] += places

    def since(self, number: int) -> list[Line]:
        """Return the lines with a higher number."""
        return [line for line in self._lines if line.number > number]

    def places(self, path: str) -> Mapping[str, int]:
        """Return the number of places that each mode changed in the document last served at a path."""
        return self._places.get(path, {})


def first_words(condition: Condition) -> str:
    """Return the text to show before the first gesture."""
    modes = [applied.mode for applied in condition.applied]
    if not modes or condition.label == "sham":
        return f"Under {condition.label} nothing is disturbed: every click and entry takes effect."
    if all(mode in _OF_PAGES for mode in modes):
        many = len(modes) > 1
        opening = f"{condition.label} {'change' if many else 'changes'} pages and {'disturb' if many else 'disturbs'}"
        waits = " With noise, this is about two seconds after a page has loaded." if "noise" in modes else ""
        return f"{opening} no click or entry. The number of changed places is shown above.{waits}"
    return "Click or type in the page above: what happens to each gesture is shown here."


def described(mode: str, label: str, event: str, control: Control | None, attempt: int) -> str:
    """Describe a mode's decision in a sentence; return an empty string if it had no noticeable effect."""
    if event == "hit":
        return _held(mode, label, control)
    if event != "passed":
        return ""
    if mode == "popup":
        return f"The dialog of {label} is answered."
    if control is None:
        return ""
    if mode.startswith("remap"):
        return f"{label}: {control} got its double click."
    # Do not claim that the gesture took effect: another mode may still block it.
    return f"{label} let this {_gesture(control)} pass{f', attempt {attempt + 1}' if attempt else ''}."


def _held(mode: str, label: str, control: Control | None) -> str:
    if control is None:
        return f"{label} interrupted the load of this page." if mode == "popup" else f"{label} disturbed this page."
    if mode.startswith("remap"):
        return f"{label}: {control} needs a double click. A single click only selects it."
    if mode == "popup":
        return f"{label} interrupted this {_gesture(control)}. Its dialog says how to go on."
    if mode == "failure":
        return f"This {_gesture(control)} was swallowed by {label}."
    return f"{label} disturbed this {_gesture(control)}."


def _gesture(control: Control) -> str:
    return f"click on {control}" if control.pressed else f"entry into {control}"
