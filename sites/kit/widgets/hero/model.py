"""The large text at the top of a home page."""

from collections.abc import Sequence
from typing import Literal

from stressweb.core.entity import Entity
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Rows, Widget

_PICTURES = 3
"""Maximum number of pictures."""


class Hero(Rows, Widget):
    """The site's name or purpose in large letters, and links to start from; the title is not a heading.

    It shows the pictures of its first three rows beside the text. Without rows, it shows the site's logo.
    """

    widget: Literal["hero"]
    text: Label = ""
    links: dict[Label, Template] = {}
    """Label key and path of each link."""

    def view(self, visit: Visit) -> Sequence[Entity]:
        """Return the rows with pictures."""
        return visit.listed(self, visit.names)[:_PICTURES] if self.source or self.row else ()
