"""Arguments of the script in a document, read from the document as it was served."""

import json
from typing import Any, NamedTuple

_SETTINGS = ')({"path":'
"""Start of the arguments in the call of the script: the settings, then the list of rules."""


class ScriptArguments(NamedTuple):
    """Arguments of one script."""

    settings: dict[str, Any]
    """Facts of the document, as `RuntimeSettings` has them."""
    rules: list[dict[str, Any]]
    """The rule of each mode, in the order in which the script applies them."""


def script_arguments(text: str) -> ScriptArguments:
    """Return the arguments of a script; `text` is the script, or a document with it. Raises ValueError for others."""
    start = text.index(_SETTINGS) + len(")(")
    settings, end = json.JSONDecoder().raw_decode(text, start)
    rules, _ = json.JSONDecoder().raw_decode(text, end + len(","))
    return ScriptArguments(settings, rules)
