"""The table of what Python and the page compute alike: hashes, draws, and names and keys of elements.

The tests of both read it, so that neither can move without the other.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from stressweb.core.page_draws import Pair

_TABLE: dict[str, list[Any]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


class DrawVector(NamedTuple):
    """One draw, and what it is made of."""

    key: str
    rule: Pair
    attempt: int
    lane: int
    words: Pair
    """The hash of the key."""
    drawn: float


class DocumentVector(NamedTuple):
    """A document with its controls and elements."""

    html: str
    path: str
    controls: list[tuple[str, str, str]]
    """Role, name and key of each."""
    nodes: list[str]
    """Keys of all elements."""


# From "MurmurHash3 Test Vectors", https://stackoverflow.com/a/31929528, whose code passes SMHasher's own test.
HASHES: list[tuple[bytes, int, int]] = [(bytes.fromhex(text), seed, word) for text, seed, word in _TABLE["hashes"]]
DRAWS = [
    DrawVector(key, Pair(*rule), attempt, lane, Pair(*words), drawn)
    for key, rule, attempt, lane, words, drawn in _TABLE["draws"]
]
DOCUMENTS = [
    DocumentVector(row["html"], row["path"], [tuple(control) for control in row["controls"]], row["nodes"])
    for row in _TABLE["documents"]
]
