"""Pictures: a motif in front of a plain wall, drawn from the seed as SVG, so that no photographs are needed."""

import colorsys
import re
from collections.abc import Callable, Mapping

from stressweb.core import draws
from stressweb.sites.kit.look import materials

SIZE = 240
"""Width and height of a picture, in SVG units."""
_GROUNDS = (("#f6f5f2", "#e3e0da"), ("#f3f5f6", "#dfe3e6"), ("#f5f1ea", "#e2d9cb"), ("#eef1ee", "#d9dfd9"))
"""The colours of wall and floor behind the motif."""


def rect(x: float, y: float, width: float, height: float, fill: str, corner: float = 0) -> str:
    """Return a rectangle as SVG."""
    size = f'width="{width:.0f}" height="{height:.0f}"'
    return f'<rect x="{x:.0f}" y="{y:.0f}" {size} rx="{corner:.0f}" fill="{fill}"/>'


def oval(x: float, y: float, across: float, down: float, fill: str) -> str:
    """Return an ellipse around a point as SVG."""
    return f'<ellipse cx="{x:.0f}" cy="{y:.0f}" rx="{across:.0f}" ry="{down:.0f}" fill="{fill}"/>'


def area(points: str, fill: str) -> str:
    """Return a filled outline as SVG; `points` is the data of a path."""
    return f'<path d="{points}" fill="{fill}"/>'


def line(points: str, stroke: str, width: int) -> str:
    """Return a line as SVG; `points` is the data of a path."""
    return f'<path d="{points}" fill="none" stroke="{stroke}" stroke-width="{width}" stroke-linecap="round"/>'


type Motif = Callable[[float, float, str, str], str]
"""Returns the SVG of what a picture shows, given two draws for its shape, a dark colour and a light colour.

120 is the middle of the picture. Objects stand at a height of about 200, where `draw` puts their shadow.
"""


def colour(hue: float, lightness: float, saturation: float) -> str:
    """Return a colour in CSS notation; hues repeat after 1."""
    red, green, blue = colorsys.hls_to_rgb(hue % 1, lightness, saturation)
    return f"#{int(red * 255):02x}{int(green * 255):02x}{int(blue * 255):02x}"


def shaded(colour: str, share: float) -> str:
    """Return a colour such as `#a9743f`, darkened to a share of its lightness."""
    return "#" + "".join(f"{int(int(colour[start : start + 2], 16) * share):02x}" for start in (1, 3, 5))


def tinted(colour: str, share: float) -> str:
    """Return a colour such as `#a9743f`, mixed with a share of white."""
    return "#" + "".join(
        f"{int(255 - (255 - int(colour[start : start + 2], 16)) * (1 - share)):02x}" for start in (1, 3, 5)
    )


_COLOURS = {
    "b": "#a9743f", "d": "#34343c", "g": "#3f7a4a", "G": "#66a05c", "o": "#d9782d", "p": "#d77fb0", "r": "#b3402a",
    "s": "#98a2ae", "w": "#fdfcf7", "y": "#f3c84f",
}  # fmt: skip
"""Fixed colours by letter, for objects that look odd in others; `i` and `l` are a picture's dark and light colour."""


def sketch(shapes: str) -> Motif:
    """Return a motif that consists of shapes separated by semicolons; each shape begins with the letter of its colour.

    `i M44 112H196Z` fills a path, `i/8 M44 112H196` draws a line of width 8, `l o 120 112 76 14` is an ellipse around
    a point, `l r 60 40 20 90 6` a rectangle with round corners. The two draws vary width and height a little;
    what begins with a circle stays round.
    """
    _, kind, *numbers = shapes.partition(";")[0].split()
    is_round = kind == "o" and numbers[2] == numbers[3]

    def motif(a: float, b: float, ink: str, light: str) -> str:
        colours = {**_COLOURS, "i": ink, "l": light}
        across = 0.86 + 0.14 * a
        down = across if is_round else 0.88 + 0.12 * b
        place = f"translate(120 200) scale({across:.2f} {down:.2f}) translate(-120 -200)"
        return f'<g transform="{place}">{drawn(shapes, colours)}</g>'

    return motif


def drawn(shapes: str, colours: Mapping[str, str]) -> str:
    """Return shapes in the notation of `sketch` as SVG; `colours` are by letter."""
    return "".join(_shape(shape.strip(), colours) for shape in shapes.split(";"))


def _shape(shape: str, colours: Mapping[str, str]) -> str:
    brush, _, outline = shape.partition(" ")
    letter, _, width = brush.partition("/")
    fill, kind, numbers = colours[letter], outline[:2], outline[2:].split()
    if kind == "o ":
        x, y, across, down = map(float, numbers)
        if not width:
            return oval(x, y, across, down, fill)
        left, whole = x - across, 2 * across
        outline = f"M{left:g} {y:g}a{across:g} {down:g} 0 1 0 {whole:g} 0a{across:g} {down:g} 0 1 0 {-whole:g} 0"
    if kind == "r ":
        x, y, across, down, corner = map(float, numbers)
        return rect(x, y, across, down, fill, corner)
    return line(outline, fill, int(width)) if width else area(outline, fill)


def fitting(motifs: Mapping[str, Motif], motif: str, key: str) -> str:
    """Return the motif that a key ends with, such as `desk-lamp` for `brass-desk-lamp`; by default `motif`."""
    words = key.split("-")
    endings = ("-".join(words[first:]) for first in range(len(words)))
    return next((ending for ending in endings if ending in motifs), motif)


def icon(letter: str, *key: draws.Part) -> str:
    """Return the icon of a site as SVG: a letter on a colour drawn with the key."""
    ground = colour(draws.unit(*key, "icon"), 0.36, 0.5)
    text = (
        f'<text x="16" y="23" text-anchor="middle" font-family="sans-serif" font-size="20" fill="#fff">{letter}</text>'
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">{rect(0, 0, 32, 32, ground, 7)}{text}</svg>'


def draw(motif: Motif, name: str, *key: draws.Part) -> str:
    """Return a picture of a motif as SVG; shape and colours are drawn with its name and the key.

    The last part of the key names the thing, with words separated by hyphens. If they have a material, it has the
    colours of that.
    """
    # One digest gives eight draws, which are enough for everything here.
    a, b, ground, dark, light, *_ = draws.units(draws.digest(*key, "picture", name))
    shapes, gradients = lit(motif(a, b, *materials.colours(str(key[-1]).split("-"), dark, light)))
    wall, floor = _GROUNDS[int(ground * len(_GROUNDS))]
    size = f'viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}><defs>'
        f'<linearGradient id="ground" x2="0" y2="1">{_stops((0, wall), (0.72, wall), (1, floor))}</linearGradient>'
        '<radialGradient id="shadow"><stop stop-opacity=".34"/><stop offset="1" stop-opacity="0"/></radialGradient>'
        f"{gradients}</defs>{rect(0, 0, SIZE, SIZE, 'url(#ground)')}{oval(120, 203, 92, 13, 'url(#shadow)')}"
        f"{shapes}</svg>"
    )


def lit(shapes: str) -> tuple[str, str]:
    """Return shapes in light that comes from the left, and the gradients that they use, both as SVG.

    All pictures can use the same ids, because a page loads each as a separate file.
    """
    gradients: dict[str, str] = {}

    def painted(match: re.Match[str]) -> str:
        paint, colour = match.groups()
        # The box of a straight line has no width, so that a gradient across it would not be drawn.
        units = "" if paint == "fill" else f' gradientUnits="userSpaceOnUse" x1="30" x2="{SIZE - 30}"'
        stops = _stops((0, shaded(colour, 0.94)), (0.28, tinted(colour, 0.24)), (1, shaded(colour, 0.72)))
        name = f"{paint}{colour[1:]}"
        gradients[name] = f'<linearGradient id="{name}"{units} y2=".3">{stops}</linearGradient>'
        return f'{paint}="url(#{name})"'

    return re.sub(r'(fill|stroke)="(#[0-9a-f]{6})"', painted, shapes), "".join(gradients.values())


def _stops(*stops: tuple[float, str]) -> str:
    return "".join(f'<stop offset="{offset:g}" stop-color="{colour}"/>' for offset, colour in stops)
