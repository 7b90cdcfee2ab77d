"""Modules of the page by themselves, or changed by a test, as expressions for a browser or for Node.js."""

import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from scripts.bundle import build
from stressweb.perturbations.page.fingerprint import modules


@cache
def exported(name: str) -> str:
    """Return an expression for what a module exports."""
    return changed(name, {})


def changed(name: str, texts: Mapping[str, str]) -> str:
    """Return the same, of modules some of which have another text, by their names."""
    with tempfile.TemporaryDirectory() as folder:
        for path in modules():
            shutil.copy(path, folder)
        for module, text in texts.items():
            path = Path(folder) / f"{module}.js"
            assert path.exists(), path
            path.write_text(text, "utf-8")
        build(Path(folder) / "built", (name,), Path(folder))
        return (Path(folder) / "built" / f"{name}.js").read_text("utf-8")
