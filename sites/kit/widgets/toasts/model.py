"""What an action did, said in a corner of the window."""

from typing import Literal

from stressweb.sites.kit.spec.widgets import Widget


class Toasts(Widget):
    """What was done, until it is closed; `frame: {toasts: true}` has every page say it so.

    What was refused stays on the page itself, where the form is.
    """

    widget: Literal["toasts"]
