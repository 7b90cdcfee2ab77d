"""How large a file is."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import Part
from stressweb.sites.kit.wording.sizes import say


class Size(Part):
    """A size in kilobytes, megabytes or gigabytes; machines read the kilobytes."""

    part: Literal["size"]
    text: str
    """Path of the size, in kilobytes."""
    label: Label = ""
    """Label key of what stands before it."""
    prop: str = "contentSize"
    style: str = ""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the size as the page says it, and the kilobytes."""
        kilobytes = int(follow(self.text, names))
        return say(kilobytes), kilobytes
