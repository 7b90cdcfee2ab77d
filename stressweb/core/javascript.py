"""Source of our scripts as sent to the browser."""

import re
from functools import cache
from pathlib import Path

_DESCRIPTION = re.compile(r"^[ \t]*/\*\*.*?\*/[ \t]*\n+", re.MULTILINE | re.DOTALL)
"""A JSDoc comment: it has types for developers, which browsers do not need."""


@cache
def source(path: Path) -> str:
    """Return a script without its comments and without the end of its last statement."""
    # Whole lines only: comment marks within a line may be part of a string.
    text = _DESCRIPTION.sub("", path.read_text(encoding="utf-8"))
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("//"))
    return "\n".join(line.strip() for line in lines).rstrip().rstrip(";")
