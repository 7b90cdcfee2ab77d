"""Imports stand at the top of a file; one that comes late has a reason, and their number does not grow."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = 69
"""To be lowered whenever one goes: a late import hides an arrow, and fails only when its line is reached."""
_LATE = re.compile(r"^\s+(?:from|import) .*# noqa:.*\bPLC0415\b", re.MULTILINE)


def test_late_imports_do_not_grow() -> None:
    packages = ("stressweb", "runner", "sites", "perturbations", "checkpoints")
    files = {file: file.read_text("utf-8") for package in packages for file in (ROOT / package).rglob("*.py")}
    late = {str(file.relative_to(ROOT)): len(found) for file, text in files.items() if (found := _LATE.findall(text))}
    assert sum(late.values()) <= MOST, late
