"""The layout of a bundle: a zip archive of four members, the first of which lists sizes and hashes of the others."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from stressweb.log.store import FILE

MANIFEST, CARD, CARD_TEXT = "stressweb-bundle.json", "run-card.json", "RUN-CARD.md"
# The manifest comes first, so that the first bytes of a file identify a bundle.
MEMBERS = (MANIFEST, CARD, CARD_TEXT, FILE)
"""Names of all members, in order."""
_BEGINNING = b"PK\x03\x04"
_NAME_AT = 30
"""Bytes of a zip file before the name of its first member."""


class Member(BaseModel):
    """Size and hash of a member."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """The first member: sizes and hashes of the others."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bundle: Literal[1] = 1
    """Version of the layout."""
    stressweb: str
    """Version of stressweb that made the bundle."""
    run: Annotated[str, Field(max_length=255, pattern=r"^[^/\x00-\x1f\x7f-\x9f]+$")]
    """Name of the run."""
    pictures: Literal["as recorded", "left out"]
    members: Mapping[str, Member]
    """Every other member, by name."""


def is_bundle(path: Path) -> bool:
    """Return whether a file starts like a bundle; raises OSError if it cannot be read."""
    with path.open("rb") as file:
        head = file.read(_NAME_AT + len(MANIFEST))
    return head.startswith(_BEGINNING) and head.endswith(MANIFEST.encode())


def directory_bytes(path: Path) -> int | None:
    """Return the size of the central directory at the end of a zip file; None if the file has no such end.

    `zipfile` reads the whole directory, so its size is checked first.
    """
    with path.open("rb") as file:
        # The end record has 22 bytes. In a large file the zip64 record of 56 and its locator of 20 precede it: 98 in
        # all.
        size = path.stat().st_size
        file.seek(max(0, size - 98))
        tail = file.read(98)
    # A bundle has no comment, so the end record is at a fixed offset.
    if tail[-22:-18] != b"PK\x05\x06" or tail[-2:] != b"\0\0":
        return None
    (directory_size,) = struct.unpack("<L", tail[-10:-6])
    if tail[-42:-38] == b"PK\x06\x07" and tail[-98:-94] == b"PK\x06\x06":
        # Programs differ in which of the two sizes they use, so the larger one counts.
        directory_size = max(directory_size, struct.unpack("<Q", tail[-58:-50])[0])
    return int(directory_size)
