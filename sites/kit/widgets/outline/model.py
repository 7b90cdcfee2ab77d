"""What a long text is divided into."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget
from stressweb.sites.kit.wording import markup


class Outline(Widget):
    """The headings of a text behind a word, each a link to its place; no script is needed for it."""

    widget: Literal["outline"]
    label: Label
    """Label key of the word; `count` is how many headings there are."""
    text: Template
    """Template of the text, with the markup of `sites/kit/wording/markup.py`."""
    anchors: str
    """What the ids of the headings begin with: that of the part `rich` that shows the text."""

    def view(self, visit: Visit) -> Any:
        """Return the headings."""
        return markup.headings(visit.fill(self.text, visit.names))
