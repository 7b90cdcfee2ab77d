"""Controls of an item: links, buttons and forms."""

from typing import Literal, Self

from pydantic import model_validator

from stressweb.sites.kit.spec.strict import Action, Label, Template
from stressweb.sites.kit.spec.widgets import Part, named_by_action


class Link(Part):
    """A link that looks like a button."""

    part: Literal["link"]
    label: Label
    href: Template
    style: Literal["light", "secondary"] = "light"


class Button(Part):
    """A button that performs an action at once, or opens a page if it has an `href`."""

    part: Literal["button"]
    action: Action = ""
    href: Template = ""
    label: Label
    """Label key; by default the action's name."""
    send: dict[str, Template] = {}
    """Hidden fields of the form."""
    style: Literal["main", "secondary"] = "main"

    _named = model_validator(mode="before")(named_by_action)

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if bool(self.action) == bool(self.href):
            raise ValueError("needs exactly one of action, href")
        return self


class Form(Part):
    """A form for an action, in one line if it is `inline`."""

    part: Literal["form"]
    action: Action
    label: Label
    """Label key of the button; by default the action's name."""
    send: dict[str, Template] = {}
    inline: bool = False

    _named = model_validator(mode="before")(named_by_action)
