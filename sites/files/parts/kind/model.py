"""What a file is: a sign of its kind, and the kind in words."""

from typing import Literal

from stressweb.sites.kit import Part, Template


class Kind(Part):
    """The icon of a kind on a colour of its own, and the kind in words."""

    part: Literal["kind"]
    text: Template
    """Template of the label key of the kind; the label's icon is that of the frame."""
    prop: str = "encodingFormat"
    """The itemprop that the words are."""
