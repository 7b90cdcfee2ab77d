"""A form that saves by itself."""

from typing import Literal

from pydantic import model_validator

from stressweb.sites.kit.spec.strict import Action, Condition, Label, Template
from stressweb.sites.kit.spec.widgets import Widget, named_by_action


class Autosave(Widget):
    """The form of an action, which a script sends whenever a field is left in which something was changed.

    It is sent as the button sends it, and what comes of it is said below the form. The button is there all the same:
    for browsers without scripts, for who wants to be sure, and for who has switched the saving off.
    """

    widget: Literal["autosave"]
    action: Action
    label: Label
    """Label key of the button; the action's name unless said otherwise."""
    on: Condition = ""
    """When it saves by itself; always unless said otherwise."""
    state: Label
    """Label key of what is said below the form at first; the wording is a template over the page."""
    unsaved: Label = "autosave_unsaved"
    """Label key of what is said as soon as something was changed."""
    failed: Label = "error_token"
    """Label key of what is said if the site gave no answer."""
    send: dict[str, Template] = {}
    """Hidden fields."""

    _named = model_validator(mode="before")(named_by_action)
