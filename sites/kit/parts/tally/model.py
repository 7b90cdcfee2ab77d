"""A switch of a row with the number of people who turned it on, such as likes, follows and bookmarks."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Action, Condition, Label, Template
from stressweb.sites.kit.spec.widgets import Part


class Tally(Part):
    """A button that turns something on or off, and the number of people who have it on.

    The page shows the change at once and sends it to the site. If the site refuses it or cannot be reached, the page
    reverts the change and shows the reason. Without scripts, the button sends its form.
    """

    part: Literal["tally"]
    action: Action
    """Action that turns it on or off."""
    send: dict[str, Template] = {}
    """Hidden fields of the form."""
    on: Condition
    """Condition under which it is on."""
    turn_on: Label
    """Label key of the button while it is off."""
    turn_off: Label
    count: Template = ""
    """Template of the number, including the person's own; without it, no number is shown."""
    counted: Label = ""
    """Label key of the text before the number."""
    counter: bool = False
    """Whether an icon replaces this text, which remains for screen readers, and the number stands before the button."""
    failed: Label = "not_sent"
    """Label key of the text that is shown if the site cannot be reached."""
    prop: str = ""
    """The itemprop of its state, as 1 or 0."""
    count_prop: str = ""
    """The itemprop of the number."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the form, and whether it is on."""
        return {"form": visit.form(self.action, self.send, names), "on": visit.holds(self.on, names)}
