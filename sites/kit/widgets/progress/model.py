"""The steps of something that takes several pages."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import Widget


class Progress(Widget):
    """The steps in order; one of them is the current one."""

    widget: Literal["progress"]
    steps: tuple[Label, ...]
    at: int
    """Which step is the current one, counted from 1."""
