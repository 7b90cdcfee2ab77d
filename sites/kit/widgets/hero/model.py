"""The big words at the top of a first page."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label, Template
from stressweb.sites.kit.spec.widgets import Widget


class Hero(Widget):
    """What a site is about, in large letters, and where to begin; its title is no heading."""

    widget: Literal["hero"]
    text: Label = ""
    links: dict[Label, Template] = {}
    """Label key and path of each link."""
