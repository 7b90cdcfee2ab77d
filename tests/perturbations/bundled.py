"""Modules of the page by themselves, or changed by a test, as expressions for a browser or for Node.js."""

import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from scripts.bundle import build
from stressweb.perturbations.page.fingerprint import SCRIPTS, modules


@cache
def exported(name: str) -> str:
    """Return an expression for what a module exports."""
    return changed(name, {})


def changed(name: str, texts: Mapping[str, str]) -> str:
    """Return the same, of modules some of which have another text, by their names."""
    with tempfile.TemporaryDirectory() as folder:
        by_name: dict[str, Path] = {}
        for path in copied_modules(Path(folder)):
            # A test names a module alone, without its folder.
            assert path.stem not in by_name, path
            by_name[path.stem] = path
        for module, text in texts.items():
            by_name[module].write_text(text, "utf-8")
        build(Path(folder) / "built", (by_name[name],))
        return (Path(folder) / "built" / f"{name}.js").read_text("utf-8")


def copied_modules(folder: Path) -> list[Path]:
    """Copy all modules into a folder, each below its own, and return the copies."""
    for path in modules():
        copy = folder / path.relative_to(SCRIPTS)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(path, copy)
    return modules(folder)
