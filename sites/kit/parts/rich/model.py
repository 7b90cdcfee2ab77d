"""A rich text: paragraphs with bold words, headings, lists and links."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.strict import Template
from stressweb.sites.kit.spec.widgets import Part
from stressweb.sites.kit.wording import markup


class Rich(Part):
    """The text of a rich text field, with the markup of `sites/kit/wording/markup.py`."""

    part: Literal["rich"]
    text: Template
    prop: str = "text"
    style: Template = ""
    anchors: str = ""
    """Prefix of the ids of its headings, for the links of an `outline`."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return a function that returns the text as HTML with headings of a given level."""
        return partial(markup.html, visit.fill(self.text, names), prefix=self.anchors)
