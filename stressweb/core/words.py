"""How words are written: names that become folders, and what docstrings say."""

import inspect
import re

PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""A plain name of a folder."""
NOT_PLAIN = "is not a plain folder name; use letters, digits, '.', '_' and '-', at most 100"


def paragraphs(kind: type) -> list[str]:
    """Return the paragraphs of a class's docstring, each on one line."""
    return [" ".join(part.split()) for part in (inspect.getdoc(kind) or "").split("\n\n")]
