"""What can be done less often, behind a word."""

from typing import Literal

from sites.kit.shown import AnyPart, Part
from sites.kit.strict import Label


class Menu(Part):
    """Parts that show when the menu is opened; no script is needed for it."""

    part: Literal["menu"]
    label: Label
    show: tuple[AnyPart, ...]
