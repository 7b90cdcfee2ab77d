"""Numbers as bars."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Chart(Widget):
    """A table of rows, each with its name, a bar as long as its number, and the number in words."""

    widget: Literal["chart"]
    label: Label
    """Label key of the caption, which says what is counted."""
    row: str
    """Path of the rows."""
    name: Template
    """Template of what a row is called."""
    word: bool = False
    """Whether the name is a label key, of which the wording is shown."""
    href: Template = ""
    number: str
    """Column of a row that holds the number."""
    says: Template
    """Template of the number as people read it."""
    type: str = "Observation"
    """The schema.org type of a row."""
    columns: tuple[Label, Label, Label]
    """Label keys of the columns' heads: name, bar, number."""

    def view(self, visit: Visit) -> Any:
        """Return each row with the length of its bar, in hundredths of the longest."""
        rows = follow(self.row, visit.names)
        longest = max((row[self.number] for row in rows), default=0) or 1
        return [(row, max(1, round(100 * row[self.number] / longest)) if row[self.number] else 0) for row in rows]
