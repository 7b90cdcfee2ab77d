"""A dialog with a text."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import Widget


class Dialog(Widget):
    """A button that opens a text in the browser's own dialog; without scripts there is no button."""

    widget: Literal["dialog"]
    label: Label
    """Label key of the button and of the heading."""
    text: Label
    """Label key of the text: paragraphs separated by empty lines."""
    close: Label = "close_dialog"
