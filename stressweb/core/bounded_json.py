"""Reads untrusted JSON, down to a limited depth."""

import json
from typing import Any

DEEPEST = 32
"""Deepest JSON that is read, in levels; ours has at most six."""


def json_in(text: str | bytes) -> Any:
    """Return the values in a text of JSON; raises ValueError for anything else, or if nested deeper than `DEEPEST`."""
    try:
        parsed = json.loads(text)
    # Python's parser recurses too, and gives up before the levels can be counted below.
    except RecursionError:
        raise ValueError(f"JSON is nested deeper than {DEEPEST} levels") from None
    level = [parsed]
    # Level by level, because a deeply nested value could exhaust the stack.
    for _ in range(DEEPEST):
        level = [
            inner
            for container in level
            if isinstance(container, dict | list)
            for inner in (container.values() if isinstance(container, dict) else container)
        ]
        if not level:
            return parsed
    raise ValueError(f"JSON is nested deeper than {DEEPEST} levels")
