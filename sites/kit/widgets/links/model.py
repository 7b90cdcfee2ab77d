"""Links that look like buttons."""

from typing import Literal

from sites.kit.spec.strict import Label, Template
from sites.kit.spec.widgets import Widget


class Links(Widget):
    """Links side by side; the one that the page calls `current` is marked."""

    widget: Literal["links"]
    links: dict[Label, Template]
    """Label key and path of each link."""
    style: Literal["light", "success"] = "light"
