"""A frame: a document in the page, as that of a message in a mailbox."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyPart, Part


class Frame(Part):
    """Parts in a document of their own, which has the site's style and none of its scripts."""

    part: Literal["frame"]
    label: Label
    """What the frame is called for those who cannot see it."""
    show: tuple[AnyPart, ...]
    """Texts and facts: nothing in a frame is a form or needs a script."""
