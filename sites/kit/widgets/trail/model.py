"""A breadcrumb trail."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Trail(Widget):
    """Links to all levels above the page, from the top down to the current one."""

    widget: Literal["trail"]
    label: Label = "crumbs"
    """Label key of its name for screen readers."""
    top: Label
    """Label key of the uppermost link."""
    top_path: Template
    row: str
    """Path of the rows from the top down, each with a name; the last is the current one."""
    path: Template
    """Template of the path of a `row`."""

    def view(self, visit: Visit) -> Any:
        """Return the name and the path of each row."""
        rows = follow(self.row, visit.names)
        return [(row.name, visit.fill(self.path, {**visit.names, "row": row})) for row in rows]
