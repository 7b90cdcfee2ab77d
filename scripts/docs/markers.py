"""Finds, reads and replaces the parts between markers in the documents."""

import re
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_PART = re.compile(r"<!-- begin: (?P<name>[\w-]+) -->\n(?P<text>.*?)<!-- end: (?P=name) -->", re.DOTALL)


def documents(root: Path = ROOT) -> list[Path]:
    """Return all documents that may contain parts."""
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def read(text: str) -> dict[str, str]:
    """Return the parts of a document by name; raises ValueError for a marker without its counterpart."""
    parts = {match["name"]: match["text"].strip("\n") for match in _PART.finditer(text)}
    # Without this check, a misspelt marker would silently stop the updates of its part.
    marked = set(re.findall(r"<!-- (?:begin|end): ([\w-]+) -->", text))
    if marked != set(parts):
        raise ValueError(f"markers without their counterpart: {', '.join(sorted(marked - set(parts)))}")
    return parts


def replace(text: str, parts: Mapping[str, str]) -> str:
    """Return a document with these parts in their places."""

    def part(match: re.Match[str]) -> str:
        name = match["name"]
        return f"<!-- begin: {name} -->\n{parts[name]}\n<!-- end: {name} -->" if name in parts else match[0]

    return _PART.sub(part, text)
