"""The kind of a file, as icon and text."""

from typing import Literal

from stressweb.sites.kit import Part, Template


class Kind(Part):
    """The icon of a kind with the kind's colour, and the kind as text."""

    part: Literal["kind"]
    text: Template
    """Template of the kind's label key; the icon is that of the label in the frame."""
    prop: str = "encodingFormat"
    """The itemprop of the text."""
