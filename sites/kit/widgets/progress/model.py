"""The steps of a process that takes several pages."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import Widget


class Progress(Widget):
    """The steps in order, with the current one marked."""

    widget: Literal["progress"]
    steps: tuple[Label, ...]
    at: int
    """Number of the current step, counted from 1."""
