"""What the script of a document is told, read from the document as it was served."""

import json
from typing import Any, NamedTuple

_SETTINGS, _RULE = '(natives,{"path":', ',{"mode":'


class Told(NamedTuple):
    """What one script is told."""

    settings: dict[str, Any]
    """Facts of the document, as `RuntimeSettings` has them."""
    rules: list[dict[str, Any]]
    """What each mode is told, in the order in which they are asked."""


def told(text: str) -> Told:
    """Return what a script is told; `text` is the script, or the document that has it. Raises ValueError for others."""
    start = text.index(_SETTINGS) + len("(natives,")
    settings, at = json.JSONDecoder().raw_decode(text, start)
    rules = []
    while (at := text.find(_RULE, at)) >= 0:
        rule, at = json.JSONDecoder().raw_decode(text, at + 1)
        rules.append(rule)
    return Told(settings, rules)
