"""A long list of which a page holds no more rows than can be seen, and some around them."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Widget


class VirtualList(Lists, Widget):
    """All rows, of one height each; what is far from the window is not on the page. Without scripts, all of it is."""

    widget: Literal["virtual_list"]
    show: tuple[AnyPart, ...]
    empty: Label = ""
    """Label key of what is said where there is nothing."""

    def view(self, visit: Visit) -> Any:
        """Return the rows."""
        return visit.listed(self, visit.names)
