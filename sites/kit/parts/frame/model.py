"""A frame: a document inside the page, such as a message in a mailbox."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyPart, Part


class Frame(Part):
    """Parts in a document of their own, with the site's styles but without its scripts."""

    part: Literal["frame"]
    label: Label
    """Label key of the frame's accessible name."""
    show: tuple[AnyPart, ...]
    """Parts such as texts and facts: a frame cannot have forms or parts that need a script."""
