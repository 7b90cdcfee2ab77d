"""Assembly of the page's script: the bundle of the runtime, those of the modes, and their settings."""

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from pydantic import BaseModel

from stressweb.perturbations.page.bundles import bundle, script_expression
from stressweb.perturbations.page.runtime_settings import RuntimeSettings
from stressweb.plugins.rule import Rule


@cache
def key_maker() -> str:
    """Return the JavaScript function that creates keys; it takes `kindOf` and the `KeySettings` of keys.js."""
    natives = f"{script_expression(bundle('natives'))}()"
    return f"(kindOf,settings)=>({script_expression(bundle('key_maker'))})(kindOf,settings,{natives})"


def page_script(settings: RuntimeSettings, rules: Sequence[Rule]) -> str:
    """Return the one script that a page gets, to run before any of its own.

    `rules` are those of the active modes, in the order in which a gesture meets them. The text is ASCII, so that it
    means the same in every ASCII-compatible encoding, and contains nothing that ends a script element.
    """
    assembled = _assembled(tuple((rule.script, *rule.parts) for rule in rules))
    return f"({assembled})({_literal(settings)},[{','.join(map(_literal, rules))}])"


@lru_cache(maxsize=256)
def _assembled(scripts: tuple[tuple[Path, ...], ...]) -> str:
    """Return all scripts as one function of the runtime's settings and of the rules of the modes."""
    expressions = [[script_expression(path) for path in paths] for paths in scripts]
    modes = ",".join(
        f"[({script}),{','.join([f'rules[{index}]', *(f'({part})' for part in parts)])}]"
        for index, (script, *parts) in enumerate(expressions)
    )
    # Shadows the browser's collections in every part, so that the page cannot replace them. The browser compiles a
    # function in parentheses at once, but would parse an arrow function twice.
    return (
        f"function(settings,rules){{(function(natives){{const {{Map,Set,WeakMap,WeakSet}}=natives.collections;\n"
        f"({script_expression(bundle('runtime'))})(natives,settings,[{modes}])}})(({script_expression(bundle('natives'))})())}}"
    )


def _literal(settings: BaseModel) -> str:
    """Return settings as a JavaScript literal that cannot end the script element."""
    # The HTML parser finds the end of the script element even inside JavaScript strings.
    return json.dumps(settings.model_dump(), separators=(",", ":")).replace("<", "\\u003c")
