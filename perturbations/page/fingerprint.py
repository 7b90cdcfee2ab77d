"""The files of the page's scripts and bundles. Imports nothing of ours: the build of the wheel runs this file alone."""

import hashlib
import json
from pathlib import Path

FOLDER = Path(__file__).parent
"""Folder of the scripts that all modes share."""
SCRIPTS = FOLDER.parent
"""Folder with the folders of all scripts: the one that modes share, and one for each mode."""
BUNDLES = FOLDER / "bundles"
"""Folder of the bundles, which `scripts/bundle.py` writes."""
MANIFEST = BUNDLES / "manifest.json"
"""File with the fingerprint of the bundled modules."""


def modules(folder: Path = SCRIPTS) -> list[Path]:
    """Return the files that bundles are made of: those of the modes, and those that all modes share."""
    return sorted((*folder.glob("*/*.js"), *folder.glob("*/*.json")))


def fingerprint(folder: Path = SCRIPTS) -> str:
    """Return a hash of all modules, by path and content."""
    hasher = hashlib.blake2b(digest_size=16)
    for path in modules(folder):
        text = path.read_bytes()
        hasher.update(f"{path.relative_to(folder).as_posix()} {len(text)}\n".encode() + text)
    return hasher.hexdigest()


def are_fresh(folder: Path = SCRIPTS) -> bool:
    """Return whether the bundles of a folder exist and were made from its current modules."""
    manifest = folder / MANIFEST.relative_to(SCRIPTS)
    try:
        return bool(json.loads(manifest.read_text("utf-8"))["modules"] == fingerprint(folder))
    except (OSError, ValueError, KeyError):
        return False
