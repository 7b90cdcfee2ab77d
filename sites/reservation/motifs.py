"""What the pictures of restaurants show."""

from collections.abc import Mapping

from sites.kit.pictures import Motif, area, line, oval, rect


def _plate(a: float, b: float, ink: str, light: str) -> str:
    radius, inner = 58 + 12 * a, 34 + 12 * b
    dish = oval(120, 132, radius, radius, light) + oval(120, 132, inner, inner, ink)
    return dish + rect(32, 78, 8, 112, ink, 4) + rect(200, 78, 8, 112, ink, 4) + oval(204, 86, 10, 20, ink)


def _bowl(a: float, b: float, ink: str, light: str) -> str:
    width = round(62 + 16 * a)
    left, right = 120 - width, 120 + width
    cup = area(f"M{left} 118H{right}q-6 76-{width - 22} 80h-44Q{left + 6} 194 {left} 118Z", ink)
    steam = line(f"M96 {88 - 10 * b:.0f}q-14-18 0-34M144 {88 - 10 * b:.0f}q14-18 0-34", light, 7)
    return oval(120, 118, width, 14 + 8 * b, light) + cup + steam


def _glass(a: float, b: float, ink: str, light: str) -> str:
    width, level = round(30 + 16 * a), round(84 + 20 * b)
    cup = area(f"M{120 - width} 52H{120 + width}q0 76-{width} 86q-{width}-10-{width}-86Z", light)
    wine = area(f"M{124 - width} {level}H{116 + width}q-6 44-{width - 4} 50q-{width - 10}-6-{width - 4}-50Z", ink)
    return cup + wine + rect(116, 136, 8, 58, ink) + oval(120, 198, 34, 7, ink)


def _pan(a: float, b: float, ink: str, light: str) -> str:
    radius = 46 + 16 * a
    handle = f'<g transform="rotate({-20 - 30 * b:.0f} 108 132)">{rect(150, 122, 78, 16, ink, 8)}</g>'
    return handle + oval(108, 136, radius + 8, radius + 8, ink) + oval(108, 136, radius - 6, radius - 6, light)


def _bottle(a: float, b: float, ink: str, light: str) -> str:
    width, label = round(24 + 10 * a), round(128 + 14 * b)
    left, right = 120 - width, 120 + width
    body = f"M108 44h24v46q0 10 {width - 12} 22v80q0 8-8 8H{left + 8}q-8 0-8-8v-80q{width - 12}-12 {width - 12}-22Z"
    return area(body, ink) + rect(left + 4, label, right - left - 8, 40, light, 4)


MOTIFS: Mapping[str, Motif] = {"plate": _plate, "bowl": _bowl, "glass": _glass, "pan": _pan, "bottle": _bottle}
"""The motifs by their names."""
