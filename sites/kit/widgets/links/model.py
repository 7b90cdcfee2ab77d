"""Links that look like buttons."""

from typing import Literal

from sites.kit.shown import Widget
from sites.kit.strict import Label, Template


class Links(Widget):
    """Links side by side; the one that the page calls `current` is marked."""

    widget: Literal["links"]
    links: dict[Label, Template]
    """Label key and path of each link."""
    style: Literal["light", "success"] = "light"
