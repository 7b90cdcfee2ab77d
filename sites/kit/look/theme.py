"""How a world looks: a Bootswatch theme and a layout, drawn from the seed, and the files that carry them."""

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

# The order belongs to the draw: in another order, world seeds would give other themes.
THEMES = (
    "brite", "cerulean", "cosmo", "cyborg", "darkly", "flatly", "journal", "litera", "lumen", "lux", "materia", "minty",
    "morph", "pulse", "quartz", "sandstone", "simplex", "slate", "solar", "spacelab", "superhero", "united",
    "vapor", "yeti", "zephyr",
)  # fmt: skip
DARK = frozenset({"cyborg", "darkly", "quartz", "slate", "solar", "superhero", "vapor"})
"""The themes that are light on dark."""
CURRENCIES = (("USD", "$"), ("EUR", "€"), ("GBP", "£"))

# Addresses of web fonts hold semicolons, so the address is matched as a whole before the end of the rule is looked for.
_FAR = re.compile(r"""@import\s+(?:url\([^)]*\)|"[^"]*"|'[^']*')[^;]*;""")
_RADIUS = re.compile(r"--bs-border-radius:\s*([^;}]+)")
_STATIC = "static/bootstrap5/css/bootswatch"


@dataclass(frozen=True)
class Look:
    """What differs from one world to the next, all of it drawn from the seed."""

    theme: str
    bar: str
    """Classes of the bar at the top."""
    dark_bar: bool
    side: bool
    """Whether the frame has a column at the left, which leaves less room for the rest."""
    filters: str
    """Where a listing's filters are: left, right or top."""
    cards: int
    """How many items stand side by side; 1 is a list."""
    width: str
    """Class of the page's container."""
    frame: str
    """Classes of a card."""
    button: str
    """Class of the main button."""
    picture_last: bool
    """Whether a page about one thing has its picture on the right."""
    hero: str
    currency: tuple[str, str]
    """Code and sign."""
    dates: str
    """How a date is said, as `dates.say` takes it."""
    own: Entity = field(hash=False)
    """What the site itself draws, by the names of its spec's `look`."""

    @property
    def dark(self) -> bool:
        """Whether the theme is light on dark."""
        return self.theme in DARK

    def money(self, cents: int) -> str:
        """Return an amount as the site writes it."""
        return f"{self.currency[1]}{cents // 100:,}.{cents % 100:02d}"


def draw(own: Mapping[str, Sequence[Scalar]], *key: draws.Part, side: bool = False) -> Look:
    """Return the look of a world.

    `own` is what the site draws besides, with its choices; `side` is whether its frame has a column at the left.
    """

    def one[T](what: str, *choices: T) -> T:
        return draws.pick(choices, *key, "look", what)

    bar, dark = one("bar", ("bg-primary", True), ("bg-dark", True), ("bg-body-tertiary border-bottom", False))
    return Look(
        theme=one("theme", *THEMES),
        bar=bar,
        dark_bar=dark,
        side=side,
        # Never two columns at the left.
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
    """Return a theme's style sheet without the web font that it would fetch from elsewhere."""
    return _FAR.sub("", files("flask_bootstrap").joinpath(_STATIC, theme, "bootstrap.min.css").read_text("utf-8"))


@cache
def stylesheet(theme: str) -> str:
    """Return a theme's style sheet in which every text can be read, and corners are as round as its buttons'."""
    sheet = original(theme)
    radius = _RADIUS.search(sheet)
    # Some themes have square buttons, and a radius that they do not use.
    corners = radius[1] if radius and "--bs-btn-border-radius" in sheet else "0"
    radii = f"--kit-radius: {corners}; --bs-border-radius: {corners}; --bs-border-radius-lg: calc(1.5 * {corners});"
    return sheet + sheet_of(palette(sheet, theme in DARK)) + f":root, [data-bs-theme] {{ {radii} }}\n"
