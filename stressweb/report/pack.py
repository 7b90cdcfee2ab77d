"""What a report carries besides its text: pages, pictures and scripts, as data that nothing runs by itself."""

import base64
import gzip
import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

_LEVEL = 6


class Limits(NamedTuple):
    """How much of what was recorded a report may carry, in characters of the file."""

    pages: int = 24_000_000
    pictures: int = 48_000_000


class Pack:
    """The data blocks of a report, by id. What comes first has room first; what finds none is counted."""

    def __init__(self, limits: Limits) -> None:
        """Take how much room there is."""
        self.blocks: dict[str, str] = {}
        self.pages_left_out = 0
        """Episodes whose pages found no room."""
        self.pictures_left_out = 0
        self._limits = limits
        self._pages = self._pictures = 0
        self._sheets: dict[str, str] = {}
        """Ids of style sheets; empty for one that found no room."""
        self._refused: set[str] = set()

    def text(self, name: str, text: str) -> None:
        """Add a text under an id, compressed; there is always room."""
        self.blocks[name] = packed(text)

    def pages(self, name: str, pages: Sequence[str]) -> bool:
        """Add the pages of an episode under an id; return whether they found room.

        They are compressed together: pages of an episode repeat each other.
        """
        block = packed("\0".join(page.replace("\0", "\N{REPLACEMENT CHARACTER}") for page in pages))
        if self._pages + len(block) > self._limits.pages:
            self.pages_left_out += 1
            return False
        self._pages += len(block)
        self.blocks[name] = block
        return True

    def sheet(self, text: str, tame: Callable[[str], str]) -> str | None:
        """Add a style sheet, once however often it comes, and return its id; None if it found no room.

        `tame` makes of it what goes in.
        """
        name = self._sheets.get(text)
        if name is None:
            name = f"c{len(self._sheets)}"
            block = packed(tame(text))
            fits = self._pages + len(block) <= self._limits.pages
            self._sheets[text] = name if fits else ""
            if fits:
                self._pages += len(block)
                self.blocks[name] = block
        return self._sheets[text] or None

    def picture(self, data: bytes) -> str | None:
        """Add a picture, once however often it comes, and return its id; None if it found no room."""
        name = f"i{hashlib.blake2b(data, digest_size=9).hexdigest()}"
        if name in self.blocks:
            return name
        block = base64.b64encode(data).decode()
        if self._pictures + len(block) > self._limits.pictures:
            self._refused.add(name)
            self.pictures_left_out = len(self._refused)
            return None
        self._pictures += len(block)
        self.blocks[name] = block
        return name


def packed(text: str) -> str:
    """Return a text compressed, in the letters of base64; the same text gives the same letters."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), _LEVEL, mtime=0)).decode()


def source_of(script: str) -> str:
    """Return how a content security policy names a script that may run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
