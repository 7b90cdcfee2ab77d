"""Amounts that add up."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Totals(Widget):
    """A small table of what something costs."""

    widget: Literal["totals"]
    label: Label
    """Label key of the table's caption, which only screen readers say."""
    lines: dict[Label, Template]
    """Label key and amount of each line."""
