"""Rows side by side or one below the other."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Widget


class Items(Lists, Widget):
    """All rows of a source, each as an item."""

    widget: Literal["items"]
    show: tuple[AnyPart, ...]
    style: Literal["", "list", "pair", "cards", "rows", "tiles"] = ""
    """How many items are side by side: one, two, four, or as many as the world's look has; `rows` have no frame, and
    `tiles` are as narrow as their content."""
    empty: Label = ""
    """Label key of the text that is shown if there are no rows."""

    def view(self, visit: Visit) -> Any:
        """Return the rows."""
        return visit.listed(self, visit.names)
