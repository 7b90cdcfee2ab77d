"""JSON that somebody else may have written: read only as deep as anything of ours is nested."""

import json
from typing import Any

DEEPEST = 32
"""Levels of JSON that are read; what we write ourselves has at most six."""


def json_in(text: str | bytes) -> Any:
    """Return what a text of JSON holds; raises ValueError if it is none, or nested deeper than `DEEPEST`."""
    try:
        found = json.loads(text)
    # Python's parser recurses too, and gives up before the levels below can be counted.
    except RecursionError:
        raise ValueError(f"JSON is nested deeper than {DEEPEST} levels") from None
    level = [found]
    # Level by level and not by recursion, which what is measured here could exhaust.
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
