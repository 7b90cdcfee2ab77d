"""A line of text with suggestions."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.fields import Line
from stressweb.sites.kit.spec.strict import Template


class Suggest(Line):
    """Any text; while it is typed, a list below the field offers what fits. Nothing needs to be taken from it.

    The list comes from a feed that answers `{"options": [...]}` for what is typed, sent as `q`.
    """

    type: Literal["suggest"]
    path: Template
    """Template of the address of the feed."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return the address of the feed, and what the list is called."""
        return {"data-suggests": visit.fill(self.path, names), "data-called": visit.say("suggestions")}
