"""Messages in a corner of the window."""

from typing import Literal

from stressweb.sites.kit.spec.widgets import Widget


class Toasts(Widget):
    """Messages about successful actions, shown until people close them; `frame: {toasts: true}` adds them to all pages.

    Messages about refused actions stay on the page itself, beside the form.
    """

    widget: Literal["toasts"]
