"""Badge with the kind of a file."""

from typing import Literal

from sites.kit import Part, Template


class Kind(Part):
    """The kind of a file on a colour of its own."""

    part: Literal["kind"]
    text: Template
    """Template of the label key of the kind."""
