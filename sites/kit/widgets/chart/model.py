"""A bar chart."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Chart(Widget):
    """A table of rows, each with its name, a bar whose length shows its number, and the number as text."""

    widget: Literal["chart"]
    label: Label
    """Label key of the caption."""
    row: str
    """Path of the rows."""
    name: Template
    """Template of a row's name."""
    word: bool = False
    """Whether the name is a label key, whose wording is shown."""
    href: Template = ""
    number: str
    """Column with the number."""
    says: Template
    """Template of the number as text."""
    type: str = "Observation"
    """The schema.org type of a row."""
    columns: tuple[Label, Label, Label]
    """Label keys of the columns' heads: name, bar, number."""

    def view(self, visit: Visit) -> Any:
        """Return each row with the length of its bar, in percent of the longest."""
        rows = follow(self.row, visit.names)
        longest = max((row[self.number] for row in rows), default=0) or 1
        return [(row, max(1, round(100 * row[self.number] / longest)) if row[self.number] else 0) for row in rows]
