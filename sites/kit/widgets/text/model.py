"""A paragraph."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import Widget


class Text(Widget):
    """A paragraph, or a notice in a box."""

    widget: Literal["text"]
    text: Label
    style: Literal["lead", "plain", "notice"] = "lead"
