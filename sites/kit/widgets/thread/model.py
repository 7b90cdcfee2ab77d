"""A conversation: messages one below the other."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.widgets import AnyPart, Lists, Widget


class Thread(Lists, Widget):
    """Messages in order, each of which can be opened and closed; only the last one is open at first."""

    widget: Literal["thread"]
    head: tuple[AnyPart, ...]
    """Parts above a message, which are also shown while it is closed; they must not include links or buttons."""
    show: tuple[AnyPart, ...]

    def view(self, visit: Visit) -> Any:
        """Return the messages."""
        return visit.listed(self, visit.names)
