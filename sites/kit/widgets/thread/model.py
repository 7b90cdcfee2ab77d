"""A conversation: messages one below the other."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Widget


class Thread(Lists, Widget):
    """Messages in their order, each of which opens and closes; only the last one is open at first."""

    widget: Literal["thread"]
    head: tuple[AnyPart, ...]
    """What stands above a message, and is all that is seen of a closed one; nothing that can be pressed."""
    show: tuple[AnyPart, ...]

    def view(self, visit: Visit) -> Any:
        """Return the messages."""
        return visit.listed(self, visit.names)
