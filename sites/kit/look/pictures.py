"""Pictures: a motif on a gradient, drawn from the seed as SVG, so that no photographs are needed."""

import colorsys
from collections.abc import Callable, Mapping

from stressweb.core import draws

SIZE = 240
"""Width and height of a picture, in SVG units."""


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


_COLOURS = {
    "b": "#a9743f", "d": "#34343c", "g": "#3f7a4a", "G": "#66a05c", "o": "#d9782d", "p": "#d77fb0", "r": "#b3402a",
    "s": "#98a2ae", "w": "#fdfcf7", "y": "#f3c84f",
}  # fmt: skip
"""Fixed colours by letter, for objects that look odd in others; `i` and `l` are a picture's dark and light colour."""


def sketch(shapes: str) -> Motif:
    """Return a motif that consists of shapes separated by semicolons; each shape begins with the letter of its colour.

    `i M44 112H196Z` fills a path, `i/8 M44 112H196` draws a line of width 8, `l o 120 112 76 14` is an ellipse around
    a point, `l r 60 40 20 90 6` a rectangle with round corners. The two draws vary width and height a little.
    """

    def motif(a: float, b: float, ink: str, light: str) -> str:
        colours = {**_COLOURS, "i": ink, "l": light}
        across, down = 0.86 + 0.14 * a, 0.88 + 0.12 * b
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
    """Return a picture of a motif as SVG; shape and colours are drawn with its name and the key."""
    # One digest gives eight draws, which are enough for everything here.
    hue, a, b, tilt, spot, tone, *_ = draws.units(draws.digest(*key, "picture", name))
    # Use the background's opposite hue and a darker colour, so that every motif stands out.
    ink, light = colour(hue + 0.5, 0.26 + 0.14 * tone, 0.5), colour(hue + 0.44, 0.62 + 0.1 * tone, 0.62)
    size = f'viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}"'
    first, last = colour(hue, 0.92, 0.6), colour(hue + 0.08, 0.78, 0.55)
    # All pictures can use the same id, because a page loads each as a separate file.
    stops = f'<stop stop-color="{first}"/><stop offset="1" stop-color="{last}"/>'
    centre = f'cx="{40 + 160 * spot:.0f}" cy="{60 + 60 * tilt:.0f}"'
    shine = f'<circle {centre} r="{50 + 40 * b:.0f}" fill="#fff" opacity=".35"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
        f'<defs><linearGradient id="g" gradientTransform="rotate({tilt * 90:.0f})">{stops}</linearGradient></defs>'
        f"{rect(0, 0, SIZE, SIZE, 'url(#g)')}{shine}"
        f'<ellipse cx="120" cy="206" rx="74" ry="8" fill="#000" opacity=".12"/>{motif(a, b, ink, light)}</svg>'
    )
