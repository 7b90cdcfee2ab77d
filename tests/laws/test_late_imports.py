"""Imports stand at the top of a file; a late import has a reason, and their number does not grow."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 60
"""Lower it when one goes: a late import hides an arrow, and fails only when its line runs."""
_LATE = re.compile(r"^\s+(?:from|import) .*# noqa:.*\bPLC0415\b.*$", re.MULTILINE)
_REASON = re.compile(r"# noqa: [A-Z0-9, ]+ - \w")


def late_imports(text: str) -> list[str]:
    """The late imports of a file; ruff enforces the `noqa` on each."""
    return [line.strip() for line in _LATE.findall(text)]


def of_all_files() -> dict[str, list[str]]:
    """The late imports of product code, by file."""
    packages = ("stressweb", "runner", "sites", "perturbations", "checkpoints")
    files = {file: file.read_text("utf-8") for package in packages for file in (ROOT / package).rglob("*.py")}
    return {str(file.relative_to(ROOT)): lines for file, text in files.items() if (lines := late_imports(text))}


def test_late_imports_do_not_grow() -> None:
    assert sum(map(len, of_all_files().values())) <= MOST, of_all_files()


def test_each_has_its_reason() -> None:
    assert [line for lines in of_all_files().values() for line in lines if not _REASON.search(line)] == []


@pytest.mark.parametrize(
    ("line", "reasoned"),
    [
        ("    import ray  # noqa: PLC0415 - an extra, and slow", True),
        ("    import pyarrow  # noqa: F401, PLC0415 - an extra", True),
        ("    from a import b  # noqa: PLC0415", False),
        ("    from a import b  # noqa: PLC0415 -", False),
    ],
)
def test_a_late_import_without_a_reason_is_seen(line: str, reasoned: bool) -> None:
    assert late_imports(f"def f():\n{line}\n") == [line.strip()]
    assert bool(_REASON.search(line)) == reasoned
