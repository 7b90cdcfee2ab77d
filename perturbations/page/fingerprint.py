"""The files of the page's scripts and bundles. Imports nothing of ours: the build of the wheel runs this file alone."""

import hashlib
import json
from pathlib import Path

FOLDER = Path(__file__).parent
BUNDLES = FOLDER / "bundles"
"""Folder of the bundles, which `scripts/bundle.py` writes."""
MANIFEST = BUNDLES / "manifest.json"
"""File with the fingerprint of the bundled modules."""


def modules(folder: Path = FOLDER) -> list[Path]:
    """Return the files that bundles are made of."""
    return sorted((*folder.glob("*.js"), *folder.glob("*.json")))


def fingerprint(folder: Path = FOLDER) -> str:
    """Return a hash of all modules, by name and content."""
    hasher = hashlib.blake2b(digest_size=16)
    for path in modules(folder):
        text = path.read_bytes()
        hasher.update(f"{path.name} {len(text)}\n".encode() + text)
    return hasher.hexdigest()


def are_fresh(folder: Path = FOLDER) -> bool:
    """Return whether the bundles of a folder exist and were made from its current modules."""
    manifest = folder / MANIFEST.relative_to(FOLDER)
    try:
        return bool(json.loads(manifest.read_text("utf-8"))["modules"] == fingerprint(folder))
    except (OSError, ValueError, KeyError):
        return False
