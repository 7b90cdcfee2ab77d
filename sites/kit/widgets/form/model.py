"""A form for an action."""

from typing import Literal

from pydantic import model_validator

from stressweb.sites.kit.spec.strict import Action, Label, Template
from stressweb.sites.kit.spec.widgets import Widget, named_by_action


class Form(Widget):
    """The fields of an action; if the form was just refused, with the entered texts and the problems."""

    widget: Literal["form"]
    action: Action
    label: Label
    """Label key of the button; by default the action's name."""
    also: Action = ""
    """Another action with its own button for the same fields, which must include all of its fields."""
    text: Label = ""
    send: dict[str, Template] = {}
    """Hidden fields."""
    width: Literal["full", "wide", "half"] = "full"

    _named = model_validator(mode="before")(named_by_action)
