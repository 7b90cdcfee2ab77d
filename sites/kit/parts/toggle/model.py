"""A button that turns something on or off for a row."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Action, Condition, Label, Template
from stressweb.sites.kit.spec.widgets import Part


class Toggle(Part):
    """A button for one row inside the form of a `batch`, where it cannot have its own form.

    The action reads only the row's key, and ignores the ticked rows that are sent with the form.
    """

    part: Literal["toggle"]
    action: Action
    field: str
    """Name of the action's hidden field for the row's key."""
    value: Template
    on: Condition
    """Condition under which it is on."""
    turn_on: Label
    """Label key of the button while it is off."""
    turn_off: Label
    signs: tuple[str, str] = ("★", "☆")
    """Text of the button when it is on, and when it is off."""
    prop: str = ""
    """The itemprop of its state, as 1 or 0."""
