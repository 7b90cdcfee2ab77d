"""Something that is looked up without leaving the page."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import Widget


class Dialog(Widget):
    """A button, and the browser's own dialog that it opens; without scripts there is no button."""

    widget: Literal["dialog"]
    label: Label
    """Label key of the button and of the heading."""
    text: Label
    """Label key of what it says: paragraphs with an empty line between them."""
    close: Label = "close_dialog"
