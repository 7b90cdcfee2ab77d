"""A long list that keeps only the visible rows, and some around them, in the page."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Widget


class VirtualList(Lists, Widget):
    """Rows of equal height; the page omits those far from the visible area. Without scripts, all are shown."""

    widget: Literal["virtual_list"]
    show: tuple[AnyPart, ...]
    empty: Label = ""
    """Label key of the text that is shown if there are no rows."""

    def view(self, visit: Visit) -> Any:
        """Return the rows."""
        return visit.listed(self, visit.names)
