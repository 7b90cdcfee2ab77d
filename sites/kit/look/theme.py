"""The look of a world: a Bootswatch theme and a layout, drawn from the seed, and the theme's style sheets."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from stressweb.core import draws
from stressweb.core.entity import Entity
from stressweb.core.templates import Scalar
from stressweb.sites.kit.look.contrast import palette, sheet_of
from stressweb.sites.kit.wording import dates

# Do not change the order: world seeds would get other themes.
THEMES = (
    "brite", "cerulean", "cosmo", "cyborg", "darkly", "flatly", "journal", "litera", "lumen", "lux", "materia", "minty",
    "morph", "pulse", "quartz", "sandstone", "simplex", "slate", "solar", "spacelab", "superhero", "united",
    "vapor", "yeti", "zephyr",
)  # fmt: skip
DARK = frozenset({"cyborg", "darkly", "quartz", "slate", "solar", "superhero", "vapor"})
"""The themes with light text on a dark background."""
CURRENCIES = (("USD", "$"), ("EUR", "€"), ("GBP", "£"))

# Addresses of web fonts contain semicolons, so match the whole address before the end of the rule.
_FAR = re.compile(r"""@import\s+(?:url\([^)]*\)|"[^"]*"|'[^']*')[^;]*;""")
_RADIUS = re.compile(r"--bs-border-radius:\s*([^;}]+)")
_STATIC = "static/bootstrap5/css/bootswatch"


@dataclass(frozen=True)
class Look:
    """The properties of pages that differ between worlds, all drawn from the seed."""

    theme: str
    bar: str
    """CSS classes of the bar at the top."""
    dark_bar: bool
    side: bool
    """Whether the frame has a column at the left, which leaves less room for the content."""
    filters: str
    """Position of a listing's filters: left, right or top; where there are many, top is left."""
    cards: int
    """Number of items side by side; 1 is a list."""
    width: str
    """CSS class of the page's container."""
    frame: str
    """CSS classes of a card."""
    button: str
    """CSS class of the main button."""
    picture_last: bool
    """Whether the page of an item has its picture on the right."""
    hero: str
    currency: tuple[str, str]
    """Code and sign."""
    dates: str
    """Template of a date, for `dates.say`."""
    own: Entity = field(hash=False)
    """Properties that the site itself draws, by their names in its spec's `look`."""

    @property
    def dark(self) -> bool:
        """Whether the theme has light text on a dark background."""
        return self.theme in DARK

    def money(self, cents: int) -> str:
        """Return an amount, in hundredths, as the site writes it."""
        return f"{self.currency[1]}{cents // 100:,}.{cents % 100:02d}"


def draw(own: Mapping[str, Sequence[Scalar]], *key: draws.Part, side: bool = False, upright: bool = False) -> Look:
    """Return the look of a world.

    `own` are further properties of the site with their choices; `side` is whether its frame has a column at the left,
    and `upright` whether its bar is that column.
    """

    def one[T](what: str, *choices: T) -> T:
        return draws.pick(choices, *key, "look", what)

    bar, dark = one("bar", ("bg-primary", True), ("bg-dark", True), ("bg-body-tertiary border-bottom", False))
    # A whole column in a loud colour would outshine the page.
    if upright and bar == "bg-primary":
        bar = "bg-dark"
    return Look(
        theme=one("theme", *THEMES),
        bar=bar,
        dark_bar=dark,
        side=side,
        # Avoid two columns at the left.
        filters=one("filters", *(("top", "right") if side else ("left", "right", "top"))),
        cards=one("cards", *((3, 2, 1) if side else (3, 4, 1))),
        width=one("width", "container", "container-xl", "container-fluid px-3 px-md-4"),
        frame=one("frame", "card h-100", "card h-100 shadow-sm border-0", "card h-100 border-primary"),
        # A dark button would vanish beside a dark bar.
        button=one("button", "btn-primary", "btn-success", "btn-dark" if not dark else "btn-info"),
        picture_last=one("picture", True, False),
        hero=one("hero", "text-bg-primary", "bg-body-tertiary", "text-bg-dark"),
        currency=one("currency", *CURRENCIES),
        dates=one("dates", *dates.STYLES),
        own=Entity({name: one(name, *choices) for name, choices in own.items()}),
    )


@cache
def original(theme: str) -> str:
    """Return a theme's style sheet without its import of a web font, which would be a request to another host."""
    return _FAR.sub("", files("flask_bootstrap").joinpath(_STATIC, theme, "bootstrap.min.css").read_text("utf-8"))


@cache
def stylesheet(theme: str) -> str:
    """Return a theme's style sheet with readable texts, and with corners as round as those of its buttons."""
    sheet = original(theme)
    radius = _RADIUS.search(sheet)
    # Some themes have square buttons, and define a radius without using it.
    corners = radius[1] if radius and "--bs-btn-border-radius" in sheet else "0"
    radii = f"--kit-radius: {corners}; --bs-border-radius: {corners}; --bs-border-radius-lg: calc(1.5 * {corners});"
    return sheet + sheet_of(palette(sheet, theme in DARK)) + f":root, [data-bs-theme] {{ {radii} }}\n"
