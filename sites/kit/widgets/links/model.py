"""Links that look like buttons."""

from typing import Literal

from sites.kit.serving.visit import Visit
from sites.kit.spec.strict import Label, Template
from sites.kit.spec.widgets import Widget


class Links(Widget):
    """Links side by side; the label that the page calls `current` is marked, or each of several."""

    widget: Literal["links"]
    links: dict[Label, Template]
    """Label key and path of each link."""
    style: Literal["light", "success"] = "light"

    def view(self, visit: Visit) -> tuple[str, ...]:
        """Return the labels to mark."""
        current = visit.names.get("current", "")
        return (current,) if isinstance(current, str) else tuple(current)
