"""The scripts of the page, put together: each is a function of those that it builds on."""

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel

from perturbations.page.rules import RuntimeSettings
from stressweb.core.javascript import source
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
    """Return the JavaScript function that makes keys; it takes `kindOf` and the `KeySettings` of keys.js."""
    view, natives = f"({source(SITE_VIEW)})(kindOf)", f"({source(NATIVES)})()"
    return f"(kindOf,settings)=>({source(KEYS)})({view},{source(NAMES)},settings,{natives})"


def page_script(settings: RuntimeSettings, rules: Sequence[Rule]) -> str:
    """Return the one script that a page gets, to be run before any of its own.

    `rules` are those of the active modes, in the order in which they are asked. The text is ASCII, so that it reads
    the same in every encoding of a document that is written in bytes, and nothing in it ends a script element.
    """
    built = _built(tuple((rule.script, *rule.parts) for rule in rules))
    return f"({built})({_literal(settings)},[{','.join(map(_literal, rules))}])"


@lru_cache(maxsize=256)
def _built(scripts: tuple[tuple[Path, ...], ...]) -> str:
    """Return all scripts as one function of the runtime's settings and of the rules of the modes, in their order."""
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
    # In brackets the browser compiles a function at once, which it would otherwise read twice: all of these are called.
    made = ",".join(f"{name}:({source(path)})" for name, path in parts.items())
    modes = ",".join(
        f"[({source(script)}),{','.join([f'rules[{at}]', *(f'({source(one)})' for one in further)])}]"
        for at, (script, *further) in enumerate(scripts)
    )
    # The names of the browser's collections mean ours in every part, so that no part must take care of it.
    return (
        f"(settings,rules)=>((natives)=>{{const {{Map,Set,WeakMap,WeakSet}}=natives.collections;\n"
        f"({source(RUNTIME)})(natives,settings,{{{made}}},[{modes}])}})(({source(NATIVES)})())"
    )


def _literal(told: BaseModel) -> str:
    """Write settings as a JavaScript literal that cannot end the script element."""
    # The parser looks for the end of a script element in its text, also within a string of the script.
    return json.dumps(told.model_dump(), separators=(",", ":")).replace("<", "\\u003c")
