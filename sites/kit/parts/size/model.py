"""The size of a file."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import Part
from stressweb.sites.kit.wording.sizes import say


class Size(Part):
    """A size in kilobytes, megabytes or gigabytes; the microdata have kilobytes."""

    part: Literal["size"]
    text: str
    """Path of the size, in kilobytes."""
    label: Label = ""
    """Label key of the text before the size."""
    prop: str = "contentSize"
    style: str = ""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the size in words, and in kilobytes."""
        kilobytes = int(follow(self.text, names))
        return say(kilobytes), kilobytes
