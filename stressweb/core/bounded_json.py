"""Reads untrusted JSON, down to a limited depth."""

import json
from typing import Any

DEEPEST = 32
"""Deepest accepted nesting, in levels; our own JSON has at most six."""


def json_in(text: str | bytes) -> Any:
    """Return a parsed JSON text; raises ValueError if it is invalid or nested deeper than `DEEPEST`."""
    try:
        parsed = json.loads(text)
    # Python's parser is recursive and fails before the levels are counted below.
    except RecursionError:
        raise ValueError(f"JSON is nested deeper than {DEEPEST} levels") from None
    level = [parsed]
    # Level by level, because a deeply nested value could exhaust the stack.
    for _ in range(DEEPEST):
        level = [
            member
            for container in level
            if isinstance(container, dict | list)
            for member in (container.values() if isinstance(container, dict) else container)
        ]
        if not level:
            return parsed
    raise ValueError(f"JSON is nested deeper than {DEEPEST} levels")
