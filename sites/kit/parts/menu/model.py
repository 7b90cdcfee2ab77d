"""A menu for less frequent actions."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyPart, Part


class Menu(Part):
    """Parts that are shown when the menu is opened; it needs no script."""

    part: Literal["menu"]
    label: Label
    show: tuple[AnyPart, ...]
