"""The steps of something that takes several pages."""

from typing import Literal

from sites.kit.shown import Widget
from sites.kit.strict import Label


class Progress(Widget):
    """The steps in order; one of them is the current one."""

    widget: Literal["progress"]
    steps: tuple[Label, ...]
    at: int
    """Which step is the current one, counted from 1."""
