"""Labels that an item has."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from sites.kit.data import follow
from sites.kit.shown import Part
from sites.kit.strict import Action, Template

if TYPE_CHECKING:
    from sites.kit.visit import Visit


class Tags(Part):
    """Rows as small coloured labels in a line; each is an item of type DefinedTerm among the item's keywords."""

    part: Literal["tags"]
    rows: str
    """Path of the rows, each with `name` and `colour`."""
    remove: Action = ""
    """Action that takes a label off, with a button beside it."""
    send: dict[str, Template] = {}
    """Hidden fields of that action."""

    def view(self, visit: "Visit", names: Mapping[str, Any]) -> Any:
        """Return the rows."""
        return follow(self.rows, names)
