"""The labels of an item."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Action, Template
from stressweb.sites.kit.spec.widgets import Part


class Tags(Part):
    """Rows as a line of small coloured labels; each is an item of type DefinedTerm among the item's keywords."""

    part: Literal["tags"]
    rows: str
    """Path of the rows, each with `name` and `colour`."""
    remove: Action = ""
    """Action that removes a label, for a button beside each label."""
    send: dict[str, Template] = {}
    """Hidden fields of that action."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the rows."""
        return follow(self.rows, names)
