"""Assembly of the page's script: each part is a function of the parts that it builds on."""

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel

from stressweb.core.javascript import source
from stressweb.perturbations.page.rules import RuntimeSettings
from stressweb.plugins.rule import Rule

_FOLDER = Path(__file__).parent
DRAWS = _FOLDER / "draws.js"
CHANGES = _FOLDER / "changes.js"
SITE_VIEW = _FOLDER / "site_view.js"
NAMES = _FOLDER / "names.js"
KEYS = _FOLDER / "keys.js"
NATIVES = _FOLDER / "natives.js"
REPORTS = _FOLDER / "reports.js"
EFFECTS = _FOLDER / "effects.js"
REPLAYS = _FOLDER / "replays.js"
LISTENERS = _FOLDER / "listeners.js"
ATTEMPTS = _FOLDER / "attempts.js"
LIVE_PAGE = _FOLDER / "live_page.js"
GESTURES = _FOLDER / "gestures.js"
TOLD_NODES = _FOLDER / "told_nodes.js"
MASKS = _FOLDER / "masks.js"
FRAMES = _FOLDER / "frames.js"
RUNTIME = _FOLDER / "runtime.js"


def key_maker() -> str:
    """Return the JavaScript function that creates keys; it takes `kindOf` and the `KeySettings` of keys.js."""
    view, natives = f"({source(SITE_VIEW)})(kindOf)", f"({source(NATIVES)})()"
    return f"(kindOf,settings)=>({source(KEYS)})({view},{source(NAMES)},settings,{natives})"


def page_script(settings: RuntimeSettings, rules: Sequence[Rule]) -> str:
    """Return the one script that a page gets, to run before any of its own.

    `rules` are those of the active modes, in the order in which a gesture meets them. The text is ASCII, so that it
    reads the same in every ASCII-compatible encoding, and nothing in it ends a script element.
    """
    assembled = _assembled(tuple((rule.script, *rule.parts) for rule in rules))
    return f"({assembled})({_literal(settings)},[{','.join(map(_literal, rules))}])"


@lru_cache(maxsize=256)
def _assembled(scripts: tuple[tuple[Path, ...], ...]) -> str:
    """Return all scripts as one function of the runtime's settings and of the rules of the modes."""
    parts = {
        "reports": REPORTS,
        "effects": EFFECTS,
        "replays": REPLAYS,
        "draws": DRAWS,
        "changes": CHANGES,
        "siteView": SITE_VIEW,
        "names": NAMES,
        "keys": KEYS,
        "listeners": LISTENERS,
        "attempts": ATTEMPTS,
        "livePage": LIVE_PAGE,
        "gestures": GESTURES,
        "toldNodes": TOLD_NODES,
        "masks": MASKS,
        "frames": FRAMES,
    }
    # In parentheses the browser compiles a function at once; otherwise it would parse these functions twice.
    part_sources = ",".join(f"{name}:({source(path)})" for name, path in parts.items())
    modes = ",".join(
        f"[({source(script)}),{','.join([f'rules[{index}]', *(f'({source(part)})' for part in further)])}]"
        for index, (script, *further) in enumerate(scripts)
    )
    # Shadows the browser's collections in every part, so that no part has to care.
    return (
        f"(settings,rules)=>((natives)=>{{const {{Map,Set,WeakMap,WeakSet}}=natives.collections;\n"
        f"({source(RUNTIME)})(natives,settings,{{{part_sources}}},[{modes}])}})(({source(NATIVES)})())"
    )


def _literal(settings: BaseModel) -> str:
    """Return settings as a JavaScript literal that cannot end the script element."""
    # The parser searches the text for the end of the script element, even inside strings of the script.
    return json.dumps(settings.model_dump(), separators=(",", ":")).replace("<", "\\u003c")
