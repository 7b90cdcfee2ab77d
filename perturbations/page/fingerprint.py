"""The files of the page's scripts and bundles. Imports nothing of ours: the build of the wheel runs this file alone."""

import hashlib
import json
from pathlib import Path

FOLDER = Path(__file__).parent
BUNDLES = FOLDER / "bundles"
"""Folder of the bundles, which `scripts/bundle.py` writes."""
MANIFEST = BUNDLES / "manifest.json"
"""File with the fingerprint of the bundled modules."""


def modules() -> list[Path]:
    """Return the files that bundles are made of."""
    return sorted((*FOLDER.glob("*.js"), *FOLDER.glob("*.json")))


def fingerprint() -> str:
    """Return a hash of all modules, by name and content."""
    hasher = hashlib.blake2b(digest_size=16)
    for path in modules():
        text = path.read_bytes()
        hasher.update(f"{path.name} {len(text)}\n".encode() + text)
    return hasher.hexdigest()


def are_fresh() -> bool:
    """Return whether the bundles exist and were made from the current modules."""
    try:
        return bool(json.loads(MANIFEST.read_text("utf-8"))["modules"] == fingerprint())
    except (OSError, ValueError, KeyError):
        return False
