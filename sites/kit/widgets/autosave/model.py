"""A form that saves automatically."""

from typing import Literal

from pydantic import model_validator

from stressweb.sites.kit.spec.strict import Action, Condition, Label, Template
from stressweb.sites.kit.spec.widgets import Widget, named_by_action


class Autosave(Widget):
    """The form of an action that a script sends whenever a changed field loses focus.

    The script sends the form like the button does, and shows the result below the form. The button remains, for
    browsers without scripts and for people who want to save explicitly or have turned automatic saving off.
    """

    widget: Literal["autosave"]
    action: Action
    label: Label
    """Label key of the button; by default the action's name."""
    on: Condition = ""
    """Condition for automatic saving; by default it is always on."""
    state: Label
    """Label key of the initial text below the form; the wording is a template over the page."""
    unsaved: Label = "autosave_unsaved"
    """Label key of the text that is shown after a change."""
    failed: Label = "error_token"
    """Label key of the text that is shown if the site does not answer."""
    send: dict[str, Template] = {}
    """Hidden fields."""

    _named = model_validator(mode="before")(named_by_action)
