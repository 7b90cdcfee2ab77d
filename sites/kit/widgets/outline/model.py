"""A table of contents of a long text."""

from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget
from stressweb.sites.kit.wording import markup


class Outline(Widget):
    """The headings of a text as links, in a disclosure that works without scripts."""

    widget: Literal["outline"]
    label: Label
    """Label key of the disclosure's summary; `count` is the number of headings."""
    text: Template
    """Template of the text, with the markup of `sites/kit/wording/markup.py`."""
    anchors: str
    """Prefix of the headings' ids; the same as in the part `rich` that shows the text."""

    def view(self, visit: Visit) -> Any:
        """Return the headings."""
        return markup.headings(visit.fill(self.text, visit.names))
