"""What the script of a document is told, read from the document as it was served."""

import json
from typing import Any, NamedTuple

_SETTINGS = ')({"path":'
"""Where the script is called with what it is told: settings, and the list of rules."""


class Told(NamedTuple):
    """What one script is told."""

    settings: dict[str, Any]
    """Facts of the document, as `RuntimeSettings` has them."""
    rules: list[dict[str, Any]]
    """What each mode is told, in the order in which they are asked."""


def told(text: str) -> Told:
    """Return what a script is told; `text` is the script, or the document that has it. Raises ValueError for others."""
    start = text.index(_SETTINGS) + len(")(")
    settings, at = json.JSONDecoder().raw_decode(text, start)
    rules, _ = json.JSONDecoder().raw_decode(text, at + len(","))
    return Told(settings, rules)
