"""A text of several paragraphs, with bold words, headings, lists and links."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Template
from stressweb.sites.kit.spec.widgets import Part
from stressweb.sites.kit.wording import markup


class Rich(Part):
    """A text that was entered into a rich text field; its markup is that of `sites/kit/wording/markup.py`."""

    part: Literal["rich"]
    text: Template
    prop: str = "text"
    style: Template = ""
    anchors: str = ""
    """What the ids of its headings begin with, for an `outline` that leads to them."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return what gives the text as HTML with headings of a level."""
        return partial(markup.html, visit.fill(self.text, names), prefix=self.anchors)
