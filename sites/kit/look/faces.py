"""Faces of people and logos of companies, drawn as SVG from a name, so that no photographs are needed.

A name has the same face on all sites and in all worlds. The address of a face contains no name, and its picture no
letter, so faces add no information to a page.
"""

import re
from functools import lru_cache

from faker.providers.person.en_US import Provider

from stressweb.core import draws
from stressweb.sites.kit.look import pictures

_KEY = re.compile(r"[fmps][0-9a-f]{16}")
"""A letter for the kind of picture, and a digest that it is drawn from."""
NAMES_OF_BOTH = frozenset(
    ("Alex", "Cameron", "Chris", "Dakota", "Dana", "Drew", "Hayden", "Jackie", "Jody", "Lee", "Morgan", "Parker",
    "Riley", "Robin")
)  # fmt: skip
"""First names of women and of men; Faker lists each of them with only one of both."""
_SKINS = ("#f6d9c3", "#edc2a0", "#dca67c", "#c08457", "#935f3b", "#6c4329")
_DARK_HAIR = ("#211c1b", "#33261f", "#4b3122", "#77716f")
_ALL_HAIR = (*_DARK_HAIR, "#704a2c", "#a2622f", "#c99a54", "#dcc083", "#b9b4ae")
_CLOTHES = ("#2f4a68", "#41644a", "#7a3b45", "#574a76", "#b0673a", "#39737a", "#4a4e57", "#a8935f")
# Letters for colours: k skin, n its shadow, h hair, c clothes, w white, e eyes, m mouth.
_BODY = (
    "c M22 240C24 190 74 174 120 174C166 174 216 190 218 240Z; k M98 140H142V178Q120 200 98 178Z;"
    # The shadow of the chin ends well above the collar, or it looks like a beard.
    "n M98 148Q120 170 142 148V158Q120 174 98 158Z;"
    "k o 75 112 9 14; k o 165 112 9 14; k o 120 104 46 55"
)
_LOOK = "e o 103 106 5 6; e o 137 106 5 6; n/4 M120 110Q115 122 122 125"
_BROWS = {
    "f": "h/3 M95 93Q103 87 111 92; h/3 M129 92Q137 87 145 93; e/3 M96 103L92 100; e/3 M144 103L148 100",
    "m": "h/6 M94 93Q103 89 111 92; h/6 M129 92Q137 89 146 93",
    "p": "h/4 M94 93Q103 88 111 92; h/4 M129 92Q137 88 146 93",
}
_EARRINGS = ("", "", "w o 73 131 4 5; w o 167 131 4 5")
_MOUTHS = ("m/4 M106 137Q120 148 134 137", "m/4 M108 139Q120 145 132 139", "m M104 135Q120 156 136 135Z")
_COLLARS = ("", "w M96 178L120 206L104 218Z; w M144 178L120 206L136 218Z", "w/6 M92 180Q120 214 148 180")
_GLASSES = ("", "", "", "e/4 o 102 107 16 14; e/4 o 138 107 16 14; e/4 M118 106H122")
_FRINGE = "h M72 100C72 60 92 42 120 42C148 42 168 60 168 100C158 78 146 68 112 66C96 72 82 82 72 100Z"
SHORT_HAIR = (
    (
        "",
        "h M70 98C66 52 92 34 122 34C152 34 174 52 170 98C162 86 158 76 150 70C130 80 104 78 90 68C84 76 76 86 70 98Z",
    ),
    (
        "",
        "h M69 99C62 46 98 30 130 33C162 34 178 60 171 99C166 88 162 80 156 72C128 78 104 74 92 60C88 76 78 88 69 99Z",
    ),
    ("", "h o 82 70 20 20; h o 104 50 22 20; h o 136 50 22 20; h o 158 70 19 20; h o 74 92 10 14; h o 166 92 10 14"),
    ("", "h M73 92C74 58 96 42 120 42C144 42 166 58 167 92C160 72 146 60 120 60C94 60 80 72 73 92Z"),
)
"""Styles of short hair: what is behind the head, and what is in front of it."""
LONG_HAIR = (
    ("h M64 156C52 60 84 30 120 30C156 30 188 60 176 156Q160 164 150 150H90Q80 164 64 156Z", _FRINGE),
    (
        "h M56 206C44 60 84 28 120 28C156 28 196 60 184 206Q150 196 150 150H90Q90 196 56 206Z",
        "h M120 46C98 50 80 66 74 106C68 60 92 38 120 38C148 38 172 60 166 106C160 66 142 50 120 46Z",
    ),
    ("h o 120 32 24 22", "h M71 102C70 60 94 42 120 42C146 42 170 60 169 102C160 76 146 64 120 64C94 64 80 76 71 102Z"),
    ("h M160 64C206 84 200 150 182 188C176 152 172 114 150 90Z", _FRINGE),
    (
        "h M66 150C54 62 82 30 120 30C158 30 186 62 174 150Q160 158 152 148H88Q80 158 66 150Z",
        "h M72 108C70 60 92 40 120 40C148 40 170 60 168 108Q162 84 150 82C132 86 108 86 90 82Q78 84 72 108Z",
    ),
    (
        "h o 70 112 22 24; h o 170 112 22 24; h o 66 142 20 22; h o 174 142 20 22",
        "h o 82 70 22 22; h o 104 50 24 22; h o 136 50 24 22; h o 158 70 21 22; h o 72 92 13 16; h o 168 92 13 16",
    ),
)
"""Styles of long hair, in the same form."""
BALD_HEAD = (
    "",
    "h M72 104C68 92 70 84 76 78C76 88 76 96 74 106Z; h M168 104C172 92 170 84 164 78C164 88 164 96 166 106Z",
)
BEARD = "h M75 114C76 168 104 178 120 178C136 178 164 168 165 114C158 130 146 128 120 128C94 128 82 130 75 114Z"
_SIGNS = (
    "w M60 168L120 60L180 168Z",
    "w/26 o 120 120 50 50",
    "w r 62 62 52 52 8; w r 126 62 52 52 26; w r 62 126 52 52 26; w r 126 126 52 52 8",
    "w M120 52L178 120L120 188L62 120Z",
    "w/24 M62 150Q92 84 120 120Q148 156 178 90",
    "w r 62 112 28 66 6; w r 106 84 28 94 6; w r 150 56 28 122 6",
    "w M64 70H176V102H64Z; w M64 138H138V170H64Z",
    "w o 96 120 40 40; w/14 o 150 120 36 36",
)


def address(name: str) -> str:
    """Return the path of a person's face, or of a company's logo if the name begins with no known first name.

    If several people are named, separated by commas, it is the face of the first.
    """
    return f"/faces/{_key(name)}.svg"


def is_person(name: str) -> bool:
    """Return whether a name begins with a known first name."""
    return not _key(name).startswith("s")


@lru_cache(maxsize=4096)
def _key(name: str) -> str:
    person = name.partition(", ")[0]
    first = person.partition(" ")[0]
    is_female, is_male = first in Provider.first_names_female, first in Provider.first_names_male
    is_either = (is_female and is_male) or first in NAMES_OF_BOTH
    sort = "p" if is_either else "f" if is_female else "m" if is_male else "s"
    return sort + draws.digest("face", person, size=8).hex()


def is_key(text: str) -> bool:
    """Return whether a text is the key of a face."""
    return bool(_KEY.fullmatch(text))


def drawing(key: str) -> str:
    """Return the face with this key as SVG."""
    shapes, ground, colours = (_sign if key[0] == "s" else _face)(key)
    size = f'viewBox="0 0 {pictures.SIZE} {pictures.SIZE}" width="{pictures.SIZE}" height="{pictures.SIZE}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
        f"{pictures.rect(0, 0, pictures.SIZE, pictures.SIZE, ground)}{pictures.drawn(shapes, colours)}</svg>"
    )


def _sign(key: str) -> tuple[str, str, dict[str, str]]:
    """Return the shapes of a company's logo, its background, and the shapes' colours by letter."""
    ground = pictures.colour(draws.unit(key, "hue"), 0.3 + 0.1 * draws.unit(key, "tone"), 0.5)
    return draws.pick(_SIGNS, key, "sign"), ground, {"w": "#fff"}


def _face(key: str) -> tuple[str, str, dict[str, str]]:
    """Return the shapes of a face, its background, and the shapes' colours by letter."""
    skin = draws.pick(_SKINS, key, "skin")
    is_dark = _SKINS.index(skin) > 2
    # Long hair for women's first names, short hair or none for men's. Names of both have hair that both may have.
    styles = {"f": LONG_HAIR, "m": (*SHORT_HAIR, BALD_HEAD), "p": (SHORT_HAIR[2], *LONG_HAIR[:1])}[key[0]]
    behind, in_front = draws.pick(styles, key, "style")
    beard = BEARD if key[0] == "m" and draws.unit(key, "beard") < 0.3 else ""
    parts = (
        behind,
        _BODY,
        draws.pick(_COLLARS, key, "collar"),
        beard,
        _LOOK,
        _BROWS[key[0]],
        draws.pick(_MOUTHS, key, "mouth"),
        in_front,
        draws.pick(_EARRINGS, key, "earrings") if key[0] == "f" else "",
        draws.pick(_GLASSES, key, "glasses"),
    )
    colours = {
        "k": skin,
        "n": pictures.shaded(skin, 0.86),
        "h": draws.pick(_DARK_HAIR if is_dark else _ALL_HAIR, key, "hair"),
        "c": draws.pick(_CLOTHES, key, "clothes"),
        "w": "#f7f4ec",
        "e": "#2b2523",
        "m": "#a8323c" if key[0] == "f" else "#8f3f3a",
    }
    return ";".join(filter(None, parts)), pictures.colour(draws.unit(key, "hue"), 0.78, 0.45), colours
