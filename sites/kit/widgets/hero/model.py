"""The large text at the top of a home page."""

from collections.abc import Sequence
from typing import Literal

from stressweb.core.entity import Entity
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.conditions import follow
from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget

_PICTURES = 3
"""Maximum number of pictures."""


class Hero(Widget):
    """The site's name or purpose in large letters, and links to start from; the title is not a heading."""

    widget: Literal["hero"]
    text: Label = ""
    links: dict[Label, Template] = {}
    """Label key and path of each link."""
    source: Source | None = None
    """Rows whose pictures stand beside the text, three at most; without rows, the site's logo stands there."""
    row: str = ""
    """In place of `source`: path of rows, such as `dishes`."""

    def view(self, visit: Visit) -> Sequence[Entity]:
        """Return the rows with pictures."""
        rows = list(follow(self.row, visit.names)) if self.row else visit.rows(self.source, visit.names)
        return rows[:_PICTURES]
