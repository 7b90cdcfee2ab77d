"""Files beside a report with its episodes, each fetched when a reader opens that episode.

A page opened from disk may load scripts and nothing else, so a side file is a script: it assigns strings to the script
element itself. Its name is a hash, so equal names are equal files.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

NAME = re.compile(r"[0-9a-f]{24}\.js")
"""Names of side files."""


class SideFile(NamedTuple):
    """One file."""

    name: str
    text: str


def side_file(blocks: Mapping[str, str], elsewhere: Mapping[str, str]) -> SideFile:
    """Return the file of these blocks; `elsewhere` has the files of other blocks that they refer to, by id."""
    # On the element itself and not in a global name, so that files loading at the same time do not overwrite each
    # other.
    text = f"document.currentScript.payload = {json.dumps({'blocks': blocks, 'elsewhere': elsewhere})};\n"
    return SideFile(name_of(text.encode()), text)


def name_of(data: bytes) -> str:
    """Return the name of the side file with these bytes."""
    return f"{hashlib.sha256(data).hexdigest()[:24]}.js"


def folder_name(stem: str, names: Iterable[str]) -> str:
    """Return the name of the folder with exactly these files, for a report called `stem`."""
    return f"{stem}-{hashlib.sha256(' '.join(sorted(names)).encode()).hexdigest()[:16]}"
