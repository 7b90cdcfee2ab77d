"""A line of text with suggestions."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.fields import Line
from stressweb.sites.kit.spec.strict import Template


class Suggest(Line):
    """Any text; during typing, a list below the field shows suggestions, which people may ignore.

    The suggestions come from a feed, which gets the text as `q` and returns `{"options": [...]}`.
    """

    type: Literal["suggest"]
    path: Template
    """Template of the feed's path."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return attributes with the feed's path and the accessible name of the list."""
        return {"data-suggests": visit.fill(self.path, names), "data-called": visit.say("suggestions")}
