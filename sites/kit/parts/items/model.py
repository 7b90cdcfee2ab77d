"""Items inside an item."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Part


class Items(Lists, Part):
    """The rows of a source, or those at a path; in their parts, `outer` is the row of the surrounding item."""

    part: Literal["items"]
    prop: str = ""
    """Their itemprop in the surrounding item."""
    show: tuple[AnyPart, ...]
    line_up: bool = False
    """Whether the parts of an item are in one line."""
    boxed: bool = False
    """Whether each item is in a box, like a quotation."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the rows."""
        return visit.listed(self, names)
