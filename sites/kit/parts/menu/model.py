"""What can be done less often, behind a word."""

from typing import Literal

from stressweb.sites.kit.spec.strict import Label
from stressweb.sites.kit.spec.widgets import AnyPart, Part


class Menu(Part):
    """Parts that show when the menu is opened; no script is needed for it."""

    part: Literal["menu"]
    label: Label
    show: tuple[AnyPart, ...]
