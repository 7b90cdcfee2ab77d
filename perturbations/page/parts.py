"""The scripts of the page, put together: each is a function of those that it builds on."""

from pathlib import Path

from perturbations.runtime import source

_FOLDER = Path(__file__).parent
DRAWS = _FOLDER / "draws.js"
SITE_VIEW = _FOLDER / "site_view.js"
NAMES = _FOLDER / "names.js"
KEYS = _FOLDER / "keys.js"


def key_maker() -> str:
    """Return the JavaScript function that makes keys; it takes `kindOf` and the `KeySettings` of keys.js."""
    return f"(kindOf,settings)=>({source(KEYS)})(({source(SITE_VIEW)})(kindOf),{source(NAMES)},settings)"
