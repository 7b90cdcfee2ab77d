"""One row, at full width."""

from typing import Literal

from stressweb.sites.kit.spec.strict import EntityName
from stressweb.sites.kit.spec.widgets import AnyPart, Widget


class Item(Widget):
    """One row of the page."""

    widget: Literal["item"]
    row: str
    """Name of the page's row."""
    of: EntityName = ""
    """Entity of the row, if the page does not name it; needed for the parts that the entity declares."""
    type: str
    """The schema.org type of the item; by default the entity's."""
    show: tuple[AnyPart, ...]
