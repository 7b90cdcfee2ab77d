"""A file that people can get."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Template
from stressweb.sites.kit.spec.widgets import Part
from stressweb.sites.kit.wording.sizes import say


class Download(Part):
    """The name of a file, as a link that gets it, and its size."""

    part: Literal["download"]
    text: Template = "{row.name}"
    """Template of the name."""
    href: Template
    """Path of a download of the site."""
    size: str = "row.size"
    """Path of the size, in kilobytes."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the size as the page says it, and the kilobytes."""
        size = int(follow(self.size, names))
        return say(size), size
