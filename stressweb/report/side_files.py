"""Files beside a report that hold its episodes, each fetched when a reader opens that episode.

A page that was opened from disk may load scripts and fetch nothing else, so a side file is a script: one assignment of
strings to the script element itself. It is named by what it holds, so that equal names are equal files.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

NAME = re.compile(r"[0-9a-f]{24}\.js")
"""What a side file is called."""


class SideFile(NamedTuple):
    """One file."""

    name: str
    text: str


def side_file(blocks: Mapping[str, str], elsewhere: Mapping[str, str]) -> SideFile:
    """Return the file of these blocks; `elsewhere` names the files of other blocks that they refer to, by id."""
    # On the element itself and not in a global name, so that files that load at the same time do not write over one
    # another.
    text = f"document.currentScript.payload = {json.dumps({'blocks': blocks, 'elsewhere': elsewhere})};\n"
    return SideFile(name_of(text.encode()), text)


def name_of(data: bytes) -> str:
    """Return the name of the side file that holds these bytes."""
    return f"{hashlib.sha256(data).hexdigest()[:24]}.js"


def folder_name(stem: str, names: Iterable[str]) -> str:
    """Return the name of the folder with exactly these files, beside a report called `stem`."""
    return f"{stem}-{hashlib.sha256(' '.join(sorted(names)).encode()).hexdigest()[:16]}"
