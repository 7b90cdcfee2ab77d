"""A picture of an item."""

from typing import Literal

from sites.kit.shown import Part
from sites.kit.strict import Template


class Picture(Part):
    """A square picture."""

    part: Literal["picture"]
    text: Template
    """Address of the picture: `/pictures/MOTIF/KEY.svg`."""
    thumb: bool = False
    """Whether it is small."""
