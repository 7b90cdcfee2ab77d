"""The large text at the top of a home page."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Hero(Widget):
    """The site's name or purpose in large letters, and links to start from; the title is not a heading."""

    widget: Literal["hero"]
    text: Label = ""
    links: dict[Label, Template] = {}
    """Label key and path of each link."""
