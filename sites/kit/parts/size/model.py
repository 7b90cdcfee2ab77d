"""How large a file is."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from sites.kit.data import follow
from sites.kit.shown import Part
from sites.kit.sizes import say
from sites.kit.strict import Label

if TYPE_CHECKING:
    from sites.kit.visit import Visit


class Size(Part):
    """A size in kilobytes, megabytes or gigabytes; machines read the kilobytes."""

    part: Literal["size"]
    text: str
    """Path of the size, in kilobytes."""
    label: Label = ""
    """Label key of what stands before it."""
    prop: str = "contentSize"
    style: str = ""

    def view(self, visit: "Visit", names: Mapping[str, Any]) -> Any:
        """Return the size as the page says it, and the kilobytes."""
        kilobytes = int(follow(self.text, names))
        return say(kilobytes), kilobytes
