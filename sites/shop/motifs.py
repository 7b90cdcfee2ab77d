"""Motifs of the pictures of the shop's products."""

from collections.abc import Mapping
from pathlib import Path

from stressweb.core.yaml_models import load
from stressweb.sites.kit.look.pictures import Motif, area, line, oval, rect, sketch


def _vessel(a: float, b: float, ink: str, light: str) -> str:
    width, top = round(46 + 22 * a), round(78 + 24 * b)
    left, right = 120 - width, 120 + width
    body = f"M{left} {top}H{right}L{right - 14} 186q-4 12-16 12H{left + 30}q-12 0-16-12Z"
    handle = f"M{right - 3} {top + 18}q38 6 24 44q-8 18-32 16"
    return line(handle, ink, 10) + area(body, ink) + oval(120, top, width, 12, light)


def _lamp(a: float, b: float, ink: str, light: str) -> str:
    wide, narrow = round(34 + 26 * a), round(19 + 14 * a)
    shade = f"M{120 - narrow} 46H{120 + narrow}L{120 + wide} 116H{120 - wide}Z"
    return rect(115, 112, 10, 80, ink) + area(shade, light) + oval(120, 196, 30 + 18 * b, 9, ink)


def _seat(a: float, b: float, ink: str, light: str) -> str:
    width, back = round(48 + 16 * a), 52 + 30 * b
    left, right = 120 - width, 120 + width
    legs = f"M{left + 6} 152l-8 50M{right - 6} 152l8 50"
    rest = rect(left, 130 - back, 2 * width, back + 6, light, 8 + 14 * b)
    return rest + line(legs, ink, 9) + rect(left - 8, 128, 2 * width + 16, 24, ink, 9)


def _bag(a: float, b: float, ink: str, light: str) -> str:
    width, lid = round(48 + 18 * a), round(24 + 26 * b)
    left = 120 - width
    flap = f"M{left} 104q0-18 18-18H{102 + width}q18 0 18 18v{lid}H{left}Z"
    body = line("M92 92q0-42 28-42t28 42", ink, 9) + rect(left, 86, 2 * width, 108, ink, 18)
    return body + area(flap, light) + rect(112, 96 + lid, 16, 22, light, 4)


def _plant(a: float, b: float, ink: str, light: str) -> str:
    leaves = ""
    for step, reach in enumerate((-66, -34, 34, 66, 10)):
        bend, rise, back = round(reach * (0.5 + a * 0.4)), round(28 + 24 * b), round(-reach * 0.2)
        leaves += area(f"M120 148q{bend}-{rise} {reach}-{58 + 8 * step}q{back} 44 {-reach} {66 + 8 * step}Z", light)
    edge = round(8 * a)
    return leaves + area(f"M{84 - edge} 142H{156 + edge}l-10 54q-2 8-10 8h-32q-8 0-10-8Z", ink)


def _book(a: float, b: float, ink: str, light: str) -> str:
    height, title = 110 + 34 * a, 22 + 12 * b
    top = 200 - height
    cover = rect(70, top, 100, height, ink, 6) + rect(70, top, 14, height, light)
    return cover + rect(98, top + title, 56, 8, light, 4) + rect(98, top + title + 18, 38, 8, light, 4)


def _device(a: float, b: float, ink: str, light: str) -> str:
    width, knob = 54 + 20 * a, 22 + 10 * b
    case = rect(120 - width, 64, 2 * width, 124, ink, 8 + 20 * b)
    dial = oval(120, 142, knob, knob, light) + oval(120, 142, 9, 9, ink)
    return case + dial + rect(132 - width, 78, 2 * width - 24, 18, light, 6)


def _garment(a: float, b: float, ink: str, light: str) -> str:
    cuff, hem = 86 + round(20 + 36 * a), round(8 * b)
    # The hem is at the height where motifs stand, whatever the length of the sleeves.
    down = 196 + hem - cuff
    sides = f"M92 62L{58 - hem} {cuff}l26 14l8-18v{down}h56v-{down}l8 18l26-14L148 62q-28 22-56 0Z"
    return area(sides, ink) + area("M92 62q28 30 56 0l-8-4q-20 14-40 0Z", light)


def _tool(a: float, b: float, ink: str, light: str) -> str:
    head = 40 + 22 * a
    parts = rect(112, 84, 16, 120, light, 8) + rect(120 - head, 56, 2 * head, 36, ink, 10)
    return f'<g transform="rotate({-30 + 60 * b:.0f} 120 124)">{parts}</g>'


def _ball(a: float, b: float, ink: str, light: str) -> str:
    radius, bulge, lean = round(52 + 16 * a), round(30 + 50 * b), round(20 + 40 * b)
    across = f"M{120 - radius} 130q{radius}-{bulge} {2 * radius} 0"
    down = f"M120 {130 - radius}q{lean} {radius} 0 {2 * radius}"
    return oval(120, 130, radius, radius, ink) + line(across + down, light, 7)


def _drawings() -> dict[str, Motif]:
    drawings: Mapping[str, str] = load(Path(__file__).parent / "corpora" / "drawings.yaml")
    return {noun: sketch(shapes) for noun, shapes in drawings.items()}


MOTIFS: Mapping[str, Motif] = {
    "vessel": _vessel, "lamp": _lamp, "seat": _seat, "bag": _bag, "plant": _plant, "book": _book, "device": _device,
    "garment": _garment, "tool": _tool, "ball": _ball, **_drawings(),
}  # fmt: skip
"""The motifs by name, for categories, and by the nouns at the end of products' names."""
