"""A form for an action."""

from typing import Literal

from pydantic import model_validator

from stressweb.sites.kit.spec.strict import Action, Label, Template
from stressweb.sites.kit.spec.widgets import Widget, named_by_action


class Form(Widget):
    """The fields of an action, with what was typed and what was wrong if it was just refused."""

    widget: Literal["form"]
    action: Action
    label: Label
    """Label key of the button; the action's name unless said otherwise."""
    also: Action = ""
    """Another action for what was entered, with a button beside; its fields must be among those of the first."""
    text: Label = ""
    send: dict[str, Template] = {}
    """Hidden fields."""
    width: Literal["full", "wide", "half"] = "full"

    _named = model_validator(mode="before")(named_by_action)
