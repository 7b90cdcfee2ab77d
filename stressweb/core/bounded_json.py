"""Reads JSON that a stranger may have written, down to a limited depth."""

import json
from typing import Any

DEEPEST = 32
"""Levels of JSON that are read; what we write ourselves has at most six."""


def json_in(text: str | bytes) -> Any:
    """Return the values in a text of JSON; raises ValueError for anything else, or if nested deeper than `DEEPEST`."""
    try:
        found = json.loads(text)
    # Python's parser recurses too, and gives up before the levels below can be counted.
    except RecursionError:
        raise ValueError(f"JSON is nested deeper than {DEEPEST} levels") from None
    level = [found]
    # Level by level, because a deeply nested value could exhaust a recursion.
    for _ in range(DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return found
    raise ValueError(f"JSON is nested deeper than {DEEPEST} levels")
