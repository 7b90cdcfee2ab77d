"""The text of a script of ours, as a browser gets it."""

import re
from functools import cache
from pathlib import Path

_DESCRIPTION = re.compile(r"^[ \t]*/\*\*.*?\*/[ \t]*\n+", re.MULTILINE | re.DOTALL)
"""A JSDoc comment: it types the script for who writes it, and no browser needs it."""


@cache
def source(path: Path) -> str:
    """Return a script without its comments and without the end of its last statement."""
    # Whole lines only: two slashes, or a slash and a star, within a line may belong to a string.
    text = _DESCRIPTION.sub("", path.read_text(encoding="utf-8"))
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("//"))
    return "\n".join(line.strip() for line in lines).rstrip().rstrip(";")
