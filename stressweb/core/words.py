"""Formats words: folder names, docstrings, numbers with their nouns."""

import inspect
import re
from collections.abc import Sequence

# No leading dot or minus: `..` would leave the folder, and `-x` would be an option of any command.
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""A plain name of a folder."""
NOT_PLAIN = "is not a plain folder name; use letters, digits, '.', '_' and '-', at most 100"

NO_TEXT = "contains bytes that are not valid UTF-8; rename it"


def is_text(value: str) -> bool:
    """Whether a path or an argument is valid text; the operating system allows any bytes."""
    return not any("\ud800" <= letter <= "\udfff" for letter in value)


def paragraphs(kind: type) -> list[str]:
    """Return the paragraphs of a class's docstring, each on one line."""
    return [" ".join(part.split()) for part in (inspect.getdoc(kind) or "").split("\n\n")]


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 task", "2 tasks". `plural` is needed for irregular nouns."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def few(names: Sequence[str], most: int = 5) -> str:
    """Return the first names and the number of the others: "a, b and 3 more"."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
