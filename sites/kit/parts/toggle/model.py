"""What is on or off for a row, and a button that turns it over."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Action, Condition, Label, Template
from stressweb.sites.kit.spec.widgets import Part


class Toggle(Part):
    """A button for one row within the form of a `batch`: a form of its own could not stand there.

    The action gets the row's key alone. What is ticked goes with the form and means nothing to it.
    """

    part: Literal["toggle"]
    action: Action
    field: str
    """The action's hidden field that names the row."""
    value: Template
    on: Condition
    """When it is on."""
    turn_on: Label
    """Label key of the button while it is off."""
    turn_off: Label
    signs: tuple[str, str] = ("★", "☆")
    """What the button shows: on, and off."""
    prop: str = ""
    """The itemprop that it is, as 1 or 0."""
