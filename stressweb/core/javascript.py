"""The source of our scripts as the browser gets it."""

import re
from functools import cache
from pathlib import Path

_DESCRIPTION = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n+", re.MULTILINE | re.DOTALL)
"""A JSDoc comment on lines of its own, which only developers need."""


@cache
def source(path: Path) -> str:
    """Return a script without comments and without its last semicolon."""
    # Whole lines only: comment marks within a line may be part of a string.
    text = _DESCRIPTION.sub("", path.read_text(encoding="utf-8"))
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("//"))
    return "\n".join(line.strip() for line in lines).rstrip().rstrip(";")
