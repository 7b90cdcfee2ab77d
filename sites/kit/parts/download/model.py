"""A file for download."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Template
from stressweb.sites.kit.spec.widgets import Part
from stressweb.sites.kit.wording.sizes import say


class Download(Part):
    """A link with a file's name for downloading it, and the file's size."""

    part: Literal["download"]
    text: Template = "{row.name}"
    """Template of the name."""
    href: Template
    """Path of one of the site's downloads."""
    size: str = "row.size"
    """Path of the size, in kilobytes."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the size in words, and in kilobytes."""
        size = int(follow(self.size, names))
        return say(size), size
