"""Amounts that add up."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Totals(Widget):
    """A small table of costs."""

    widget: Literal["totals"]
    label: Label
    """Label key of the table's caption, which is for screen readers only."""
    lines: dict[Label, Template]
    """Amount of each line, by its label key."""
