"""A paragraph."""

from typing import Literal

from sites.kit.shown import Widget
from sites.kit.strict import Label


class Text(Widget):
    """A paragraph, or a box that says how something stands."""

    widget: Literal["text"]
    text: Label
    style: Literal["lead", "plain", "notice"] = "lead"
