"""Motifs of the pictures of restaurants and dishes."""

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from stressweb.core import draws
from stressweb.core.entity import Entity
from stressweb.core.yaml_models import load
from stressweb.sites.kit.data.drawing import Drawing
from stressweb.sites.kit.folder import KIT
from stressweb.sites.kit.look.pictures import Motif, area, line, oval, rect, sketch

# Fixed colours for food that looks odd in others.
_CRUST, _CHEESE, _TOMATO, _LEAF, _MEAT = "#c58a3f", "#f3cf73", "#b3402a", "#4f7a3a", "#6b3f26"
_BROTH, _STEAM = "#d9782d", "#98a2ae"


def _bowl(a: float, b: float, ink: str, light: str) -> str:
    width, rim = round(58 + 16 * a), round(120 + 14 * b)
    left, right = 120 - width, 120 + width
    body = area(
        f"M{left} {rim}H{right}q-6 {196 - rim}-{width - 14} {196 - rim}h-28q-{width - 20} 0-{width - 14}-{196 - rim}Z",
        ink,
    )
    steam = line(
        f"M{104 - 10 * a:.0f} {rim - 24}q-12-18 0-36q12-18 0-30M{140 + 8 * b:.0f} {rim - 24}q-12-18 0-36", _STEAM, 6
    )
    return steam + oval(120, rim, width, 12, _BROTH) + body


def _pizza(a: float, b: float, ink: str, light: str) -> str:
    radius = round(58 + 14 * a)
    spots = "".join(
        oval(120 + dx * radius * 0.5, 132 + dy * radius * 0.5, 8 + 5 * b, 8 + 5 * b, _TOMATO)
        for dx, dy in ((-0.6, -0.7), (0.7, -0.4), (-0.2, 0.5), (0.6, 0.9), (-1.0, 0.3))
    )
    return oval(120, 132, radius + 10, radius + 10, _CRUST) + oval(120, 132, radius, radius, _CHEESE) + spots


def _burger(a: float, b: float, ink: str, light: str) -> str:
    width, top = round(60 + 12 * a), round(78 + 16 * b)
    left = 120 - width
    bun = area(f"M{left} {top + 44}q0-44 {width}-44t{width} 44Z", _CRUST) + rect(left, 176, 2 * width, 24, _CRUST, 12)
    return (
        bun
        + rect(left - 6, top + 48, 2 * width + 12, 16, _LEAF, 8)
        + rect(left, top + 68, 2 * width, 172 - top - 68, _MEAT, 10)
    )


def _skewer(a: float, b: float, ink: str, light: str) -> str:
    pieces = "".join(
        rect(84 + 2 * (n % 2), 52 + n * (30 + 4 * a), 68, 24, piece, 10)
        for n, piece in enumerate((_TOMATO, _MEAT, _LEAF, _MEAT))
    )
    return f'<g transform="rotate({-24 + 48 * b:.0f} 120 124)">{line("M120 34V206", _MEAT, 6)}{pieces}</g>'


def _plate(a: float, b: float, ink: str, light: str) -> str:
    radius = round(54 + 10 * a)
    half_radius, rise = radius // 2, round(30 + 20 * b)
    food = area(
        f"M{120 - half_radius} 138q10-{rise} {half_radius} -26t{half_radius} 26q-{half_radius} 30-{radius} 0Z", _CRUST
    )
    fork = line("M34 82v100M26 82v26q0 8 8 8t8-8V82", ink, 5)
    return oval(128, 132, radius + 12, radius + 12, "#ffffff") + oval(128, 132, radius, radius, light) + food + fork


def _wrap(a: float, b: float, ink: str, light: str) -> str:
    lean = round(-20 + 40 * b)
    roll = rect(88, 60, 64, 140, _CHEESE, 30) + area("M88 120h64v52q0 28-32 28t-32-28Z", ink)
    filling = oval(104, 66, 14, 10, _LEAF) + oval(128, 62, 16 + 4 * a, 11, _TOMATO)
    return f'<g transform="rotate({lean} 120 130)">{filling}{roll}</g>'


def _cup(a: float, b: float, ink: str, light: str) -> str:
    width, top = round(34 + 10 * a), round(84 + 14 * b)
    straw = line(f"M{124 + 6 * b:.0f} {top}L{138 + 10 * b:.0f} 36", ink, 6)
    body = area(f"M{120 - width} {top}h{2 * width}l-10 {200 - top}h-{2 * width - 20}Z", light)
    return straw + body + rect(116 - width, top - 8, 2 * width + 8, 12, ink, 5)


MOTIFS: Mapping[str, Motif] = {
    "bowl": _bowl, "pizza": _pizza, "burger": _burger, "skewer": _skewer, "plate": _plate, "wrap": _wrap, "cup": _cup,
    **{name: sketch(shapes) for name, shapes in load(KIT / "corpora" / "dishes.yaml").items()},
}  # fmt: skip
"""The motifs by name, for cuisines and dishes."""
BY_CUISINE = {
    "italian": "pizza", "japanese": "sushi", "indian": "curry", "mexican": "taco", "thai": "noodles",
    "chinese": "dumplings", "lebanese": "pitta", "greek": "skewer", "american": "burger", "vietnamese": "soup",
    "french": "croissant", "korean": "bibimbap",
}  # fmt: skip
"""The motif of each cuisine."""
_DISHES = {
    "italian": ("pasta", "plate", "sweet"), "japanese": ("noodles", "bowl", "dumplings"),
    "indian": ("bowl", "skewer", "pitta"), "mexican": ("wrap", "bowl", "cup"), "thai": ("curry", "soup", "skewer"),
    "chinese": ("noodles", "soup", "bowl"), "lebanese": ("wrap", "skewer", "plate"),
    "greek": ("pitta", "plate", "sweet"), "american": ("fries", "plate", "cup"),
    "vietnamese": ("noodles", "wrap", "bowl"), "french": ("crepe", "plate", "sweet"),
    "korean": ("dumplings", "noodles", "skewer"),
}  # fmt: skip
"""Further dishes of each cuisine."""
_ANYWHERE = ("plate", "bowl", "takeaway-bag", "takeaway-box", "sweet", "cup")
DISHES = {
    cuisine: [(motif, *_DISHES[cuisine]), [dish for dish in _ANYWHERE if dish not in _DISHES[cuisine]]]
    for cuisine, motif in BY_CUISINE.items()
}
"""Motifs of restaurants that deliver, by cuisine: first dishes of the cuisine, then what fits all."""
_ROOMS = (
    "bistro-front", "set-table", "patio", "lamp-room", "arch-front", "wine-bar", "corner-booth", "candle-table",
    "garden-table",
)  # fmt: skip
_WITH_LANTERNS = ("japanese", "chinese", "korean", "vietnamese", "thai")
_WITH_OVEN = ("italian", "indian", "lebanese", "greek", "american")
ROOMS = {
    cuisine: [
        (
            *_ROOMS,
            *(["lantern-front"] if cuisine in _WITH_LANTERNS else []),
            *(["brick-oven"] if cuisine in _WITH_OVEN else []),
        )
    ]
    for cuisine in BY_CUISINE
}
"""Motifs of restaurants that people visit, by cuisine."""

_BY_WORDS = {
    "pizza": "pizza", "burger": "burger",
    "macaroni|tagliatelle|rigatoni|orecchiette|linguine|pappardelle|spaghetti|fusilli|paccheri": "pasta",
    "maki|nigiri|tartare": "sushi", "gyoza|dumplings|mandu|samosas": "dumplings", "curry": "curry",
    "tacos|tostadas|nachos": "taco", "ramen|pho|soup|stew|tom yum": "soup", "udon|noodles|pad thai|japchae": "noodles",
    "burrito|wrap|enchiladas|quesadilla|rolls|banh mi": "wrap", "pitta|falafel": "pitta",
    "satay|souvlaki|tandoori|grilled": "skewer", "bibimbap|tteokbokki": "bibimbap", "fries|chips|wings": "fries",
    "galette|dosa|pancake": "crepe", "bowl|donburi|rice|biryani|risotto|salad|coleslaw|fattoush|raita|hummus": "bowl",
}  # fmt: skip
"""The motif of a dish by words of its name."""
_BY_COURSE = {"drink": ("cup",), "dessert": ("sweet",), "side": ("bowl", "plate")}
"""Motifs of dishes whose names have none of these words, by course; by default, a plate."""


def pictured(
    drawing: Drawing, groups: Mapping[str, Sequence[Sequence[str]]], places: Iterable[Entity], apart: int = 0
) -> dict[str, str]:
    """Return the motif of each restaurant by its id; those of one cuisine have different motifs.

    `groups` are the motifs of each cuisine; those of its first group come first. A motif comes again after `apart`
    further restaurants, or earlier if a cuisine has no other left.
    """
    motifs = {
        cuisine: [motif for group in kinds for motif in drawing.shuffled(group, "motifs", cuisine)]
        for cuisine, kinds in groups.items()
    }
    recent: deque[str] = deque(maxlen=apart)
    drawn = {}
    for place in places:
        left = motifs[place.cuisine]
        drawn[place.id] = next((motif for motif in left if motif not in recent), left[0])
        left.remove(drawn[place.id])
        recent.append(drawn[place.id])
    return drawn


def dish_motif(name: str, course: str, *key: draws.Part) -> str:
    """Return the motif of a dish: what its name says, otherwise one of its course, drawn with the key."""
    if course not in ("drink", "dessert"):
        # What comes after these words is in the dish, not what it is.
        words = re.split(r" with | and |, ", name.casefold())[0]
        for pattern, motif in _BY_WORDS.items():
            if re.search(rf"\b({pattern})\b", words):
                return motif
    return draws.pick(_BY_COURSE.get(course, ("plate",)), *key)
