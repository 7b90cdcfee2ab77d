"""Pictures: a motif on a gradient, drawn from the seed as SVG, so that no photograph is needed."""

import colorsys
from collections.abc import Callable

from stressweb.core import draws

SIZE = 240
"""Width and height of a picture in its own units."""


def _rect(x: float, y: float, width: float, height: float, fill: str, corner: float = 0) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}"'
    return f'<rect x="{x:.0f}" y="{y:.0f}" {size} rx="{corner:.0f}" fill="{fill}"/>'


def _oval(x: float, y: float, across: float, down: float, fill: str) -> str:
    return f'<ellipse cx="{x:.0f}" cy="{y:.0f}" rx="{across:.0f}" ry="{down:.0f}" fill="{fill}"/>'


def _area(points: str, fill: str) -> str:
    return f'<path d="{points}" fill="{fill}"/>'


def _line(points: str, stroke: str, width: int) -> str:
    return f'<path d="{points}" fill="none" stroke="{stroke}" stroke-width="{width}" stroke-linecap="round"/>'


# Two draws shape each motif and two colours fill it. In its numbers 120 is the middle of the picture, and motifs stand
# at about 200, where `draw` puts their shadow.
def _vessel(a: float, b: float, ink: str, light: str) -> str:
    width, top = round(46 + 22 * a), round(78 + 24 * b)
    left, right = 120 - width, 120 + width
    body = f"M{left} {top}H{right}L{right - 14} 186q-4 12-16 12H{left + 30}q-12 0-16-12Z"
    handle = f"M{right - 3} {top + 18}q38 6 24 44q-8 18-32 16"
    return _line(handle, ink, 10) + _area(body, ink) + _oval(120, top, width, 12, light)


def _lamp(a: float, b: float, ink: str, light: str) -> str:
    wide, narrow = round(34 + 26 * a), round(19 + 14 * a)
    shade = f"M{120 - narrow} 46H{120 + narrow}L{120 + wide} 116H{120 - wide}Z"
    return _rect(115, 112, 10, 80, ink) + _area(shade, light) + _oval(120, 196, 30 + 18 * b, 9, ink)


def _seat(a: float, b: float, ink: str, light: str) -> str:
    width, back = round(48 + 16 * a), 52 + 30 * b
    left, right = 120 - width, 120 + width
    legs = f"M{left + 6} 152l-8 50M{right - 6} 152l8 50"
    rest = _rect(left, 130 - back, 2 * width, back + 6, light, 8 + 14 * b)
    return rest + _line(legs, ink, 9) + _rect(left - 8, 128, 2 * width + 16, 24, ink, 9)


def _bag(a: float, b: float, ink: str, light: str) -> str:
    width, lid = round(48 + 18 * a), round(24 + 26 * b)
    left = 120 - width
    flap = f"M{left} 104q0-18 18-18H{102 + width}q18 0 18 18v{lid}H{left}Z"
    body = _line("M92 92q0-42 28-42t28 42", ink, 9) + _rect(left, 86, 2 * width, 108, ink, 18)
    return body + _area(flap, light) + _rect(112, 96 + lid, 16, 22, light, 4)


def _plant(a: float, b: float, ink: str, light: str) -> str:
    leaves = ""
    for step, reach in enumerate((-66, -34, 34, 66, 10)):
        bend, rise, back = round(reach * (0.5 + a * 0.4)), round(28 + 24 * b), round(-reach * 0.2)
        leaves += _area(f"M120 148q{bend}-{rise} {reach}-{58 + 8 * step}q{back} 44 {-reach} {66 + 8 * step}Z", light)
    edge = round(8 * a)
    return leaves + _area(f"M{84 - edge} 142H{156 + edge}l-10 54q-2 8-10 8h-32q-8 0-10-8Z", ink)


def _book(a: float, b: float, ink: str, light: str) -> str:
    height, title = 110 + 34 * a, 22 + 12 * b
    top = 200 - height
    cover = _rect(70, top, 100, height, ink, 6) + _rect(70, top, 14, height, light)
    return cover + _rect(98, top + title, 56, 8, light, 4) + _rect(98, top + title + 18, 38, 8, light, 4)


def _device(a: float, b: float, ink: str, light: str) -> str:
    width, knob = 54 + 20 * a, 22 + 10 * b
    case = _rect(120 - width, 64, 2 * width, 124, ink, 8 + 20 * b)
    dial = _oval(120, 142, knob, knob, light) + _oval(120, 142, 9, 9, ink)
    return case + dial + _rect(132 - width, 78, 2 * width - 24, 18, light, 6)


def _garment(a: float, b: float, ink: str, light: str) -> str:
    cuff, hem = 86 + round(20 + 36 * a), round(8 * b)
    sides = f"M92 62L{58 - hem} {cuff}l26 14l8-18v{106 + hem}h56v-{106 + hem}l8 18l26-14L148 62q-28 22-56 0Z"
    return _area(sides, ink) + _area("M92 62q28 30 56 0l-8-4q-20 14-40 0Z", light)


def _tool(a: float, b: float, ink: str, light: str) -> str:
    head = 40 + 22 * a
    parts = _rect(112, 84, 16, 120, light, 8) + _rect(120 - head, 56, 2 * head, 36, ink, 10)
    return f'<g transform="rotate({-30 + 60 * b:.0f} 120 124)">{parts}</g>'


def _ball(a: float, b: float, ink: str, light: str) -> str:
    radius, bulge, lean = round(52 + 16 * a), round(30 + 50 * b), round(20 + 40 * b)
    across = f"M{120 - radius} 130q{radius}-{bulge} {2 * radius} 0"
    down = f"M120 {130 - radius}q{lean} {radius} 0 {2 * radius}"
    return _oval(120, 130, radius, radius, ink) + _line(across + down, light, 7)


MOTIFS: dict[str, Callable[[float, float, str, str], str]] = {
    "vessel": _vessel, "lamp": _lamp, "seat": _seat, "bag": _bag, "plant": _plant, "book": _book, "device": _device,
    "garment": _garment, "tool": _tool, "ball": _ball,
}  # fmt: skip


def _colour(hue: float, lightness: float, saturation: float) -> str:
    red, green, blue = colorsys.hls_to_rgb(hue % 1, lightness, saturation)
    return f"#{int(red * 255):02x}{int(green * 255):02x}{int(blue * 255):02x}"


def draw(motif: str, *key: draws.Part) -> str:
    """Return a picture of a motif as SVG; the key gives shape and colours. Raises KeyError for an unknown motif."""
    # One digest gives eight draws, so nothing here needs a key of its own.
    hue, a, b, tilt, spot, tone, *_ = draws.units(draws.digest(*key, "picture", motif))
    # The opposite hue of the ground's, and darker, so that every motif stands out.
    ink, light = _colour(hue + 0.5, 0.26 + 0.14 * tone, 0.5), _colour(hue + 0.44, 0.62 + 0.1 * tone, 0.62)
    size = f'viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}"'
    first, last = _colour(hue, 0.92, 0.6), _colour(hue + 0.08, 0.78, 0.55)
    # The id repeats in every picture without a clash, because a page loads each as a file of its own.
    stops = f'<stop stop-color="{first}"/><stop offset="1" stop-color="{last}"/>'
    centre = f'cx="{40 + 160 * spot:.0f}" cy="{60 + 60 * tilt:.0f}"'
    shine = f'<circle {centre} r="{50 + 40 * b:.0f}" fill="#fff" opacity=".35"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
        f'<defs><linearGradient id="g" gradientTransform="rotate({tilt * 90:.0f})">{stops}</linearGradient></defs>'
        f"{_rect(0, 0, SIZE, SIZE, 'url(#g)')}{shine}"
        f'<ellipse cx="120" cy="206" rx="74" ry="8" fill="#000" opacity=".12"/>{MOTIFS[motif](a, b, ink, light)}</svg>'
    )
