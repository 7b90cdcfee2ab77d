"""One thing, at full width."""

from typing import Literal

from sites.kit.shown import AnyPart, Widget


class Item(Widget):
    """One row of the page."""

    widget: Literal["item"]
    row: str
    """Name of the page's row."""
    type: str
    """The schema.org type of the item."""
    show: tuple[AnyPart, ...]
