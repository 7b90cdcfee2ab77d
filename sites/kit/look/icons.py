"""Bootstrap's icons: the icon of each label, and the style rules that draw them.

An icon is an empty element with a mask in the style sheet. So it costs one node, has the colour of the text beside it,
and needs no request. It is hidden from screen readers: the text beside it, or the control around it, has an accessible
name.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Protocol
from urllib.parse import quote

from markupsafe import Markup

_SPRITE = "static/bootstrap5/icons/bootstrap-icons.svg"
_SYMBOL = re.compile(r'<symbol [^>]*viewBox="([^"]*)"[^>]*id="([^"]*)"[^>]*>(.*?)</symbol>', re.DOTALL)

ACCOUNT = "person-circle"
"""Icon of an account, in whose place pages show a face."""
ICONS: Mapping[str, str] = {
    "accounts": "people",
    "delete": "trash3",
    "edit": "pencil",
    "link_about": "info-circle",
    "link_account": ACCOUNT,
    "link_all": "collection",
    "link_archive": "archive",
    "link_cart": "cart3",
    "link_favourites": "heart",
    "link_help": "question-circle",
    "link_home": "house-door",
    "link_notifications": "bell",
    "link_orders": "box-seam",
    "link_people": "people",
    "link_profile": ACCOUNT,
    "link_register": "person-plus",
    "link_settings": "gear",
    "link_shared": "share",
    "link_sign_in": "box-arrow-in-right",
    "link_starred": "star",
    "link_tags": "tags",
    "link_templates": "file-earmark-text",
    "link_trash": "trash3",
    "link_wishlist": "heart",
    "sign_out": "box-arrow-right",
    "tick_all": "check2-square",
}
"""Icons of the labels that several sites have; a site sets others with `icons` in its frame."""
_UNLABELLED = (
    "check2-square", "geo-alt-fill", "info-circle", "lightbulb", "list", "megaphone", ACCOUNT, "search", "sliders",
    "x-lg",
)  # fmt: skip
"""Icons that frames and widgets show without a label."""


class HasIcons(Protocol):
    """The icons of a site's frame."""

    @property
    def icons(self) -> Mapping[str, str]:
        """Icons by the keys of their labels."""

    @property
    def logo(self) -> str:
        """Icon of the site itself."""

    @property
    def menu_icon(self) -> str:
        """Icon of each row in the menu."""


@cache
def shapes() -> Mapping[str, tuple[str, str]]:
    """Return the view box and the content of every icon, by name."""
    sprite = files("flask_bootstrap").joinpath(_SPRITE).read_text("utf-8")
    return {name: (box, content) for box, name, content in _SYMBOL.findall(sprite)}


def icon_of(frame: HasIcons, label: str) -> str:
    """Return the name of a label's icon; empty if it has none."""
    return frame.icons.get(label, ICONS.get(label, ""))


def used(frame: HasIcons) -> list[str]:
    """Return the names of the icons that the pages of a site may show."""
    own = (*frame.icons.values(), frame.logo, frame.menu_icon)
    return sorted({*ICONS.values(), *_UNLABELLED, *own} - {""})


def glyph(name: str) -> Markup:
    """Return the element that shows an icon."""
    return Markup('<i class="kit-icon kit-icon-{}" aria-hidden="true"></i>').format(name)


def stylesheet(names: Iterable[str]) -> str:
    """Return the rules that give these icons their shapes."""
    return "".join(f'.kit-icon-{name} {{ --kit-shape: url("{_data_url(name)}"); }}\n' for name in names)


def _data_url(name: str) -> str:
    box, content = shapes()[name]
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{content}</svg>'
    return f"data:image/svg+xml,{quote(svg, safe=' /:=')}"
