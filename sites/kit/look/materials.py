"""Colours of what pictures show: those of a material that its name mentions, or a pair of a muted palette."""

from collections.abc import Sequence

_BY_WORD = {
    "aluminium": ("#8d9298", "#ccd0d4"), "ash": ("#a98a62", "#d6bd96"), "bamboo": ("#b08d52", "#d9bd86"),
    "beech": ("#bb9262", "#dbbb8d"), "brass": ("#94762f", "#d0b064"), "bronze": ("#7a5a33", "#b08a55"),
    "canvas": ("#857b5e", "#c5bb9a"), "ceramic": ("#5f7f83", "#b9cccb"), "chrome": ("#7f868d", "#c6cbd0"),
    "copper": ("#96552f", "#cc8a5e"), "corduroy": ("#80552f", "#ab7c4c"), "cork": ("#a9804f", "#caa573"),
    "denim": ("#3b5274", "#6c87a8"), "fibreglass": ("#b3872a", "#42464b"), "glass": ("#8fb0b5", "#cfe1e2"),
    "hickory": ("#5a5f65", "#b58d5c"), "hornbeam": ("#5a5f65", "#cfb78f"), "iron": ("#36393d", "#5d6166"),
    "leather": ("#744426", "#a36c42"), "linen": ("#a6987a", "#dfd5bf"), "marble": ("#bdb9b2", "#eeece8"),
    "oak": ("#a07648", "#cba577"), "olive": ("#76573a", "#a98559"), "paper": ("#9a8c70", "#f0e6d2"),
    "porcelain": ("#c3c3c0", "#f3f2ee"), "rattan": ("#9c7644", "#cfae7b"), "rosewood": ("#55302a", "#84514a"),
    "rubber": ("#2f3236", "#5b5f64"), "silicone": ("#a58f8a", "#e6d3cd"), "steel": ("#7d848b", "#c5cacf"),
    "stoneware": ("#75705f", "#bbb3a0"), "teak": ("#875832", "#b5844f"), "titanium": ("#6b7077", "#a9aeb4"),
    "walnut": ("#573a28", "#85603f"), "waxed": ("#454a37", "#767a5a"),
}  # fmt: skip
"""The dark and the light colour of materials, by the word in a name."""
_DARK = (
    "#2f4058", "#3e5a48", "#9f5238", "#3d4045", "#67425a", "#4a6484", "#62643a", "#8a4a34", "#2f6064", "#8a6a2c",
    "#7a3b3f",
)  # fmt: skip
_LIGHT = ("#e9dfcd", "#d8c3a0", "#dcb9a8", "#b9cbd8", "#b7c2a8", "#cfcac2", "#ead9a6", "#c9b7c9")


def colours(name: Sequence[str], dark: float, light: float) -> tuple[str, str]:
    """Return a dark and a light colour for a thing whose name has these words; the draws choose from the palette."""
    material = next((_BY_WORD[word] for word in reversed(name) if word in _BY_WORD), None)
    return material or (_DARK[int(dark * len(_DARK))], _LIGHT[int(light * len(_LIGHT))])
