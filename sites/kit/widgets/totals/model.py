"""Amounts that add up."""

from typing import Literal

from sites.kit.shown import Widget
from sites.kit.strict import Label, Template


class Totals(Widget):
    """A small table of what something costs."""

    widget: Literal["totals"]
    label: Label
    """Label key of the table's caption, which only screen readers say."""
    lines: dict[Label, Template]
    """Label key and amount of each line."""
