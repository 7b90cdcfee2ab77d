"""The data of a report besides its text: pages, pictures and scripts, which nothing runs by itself."""

import base64
import gzip
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from stressweb.report.side_files import SideFile, folder_name, side_file

_GZIP_LEVEL = 6
ROOM = 12_000_000
"""Largest size, in characters, of episodes inside a report that may have side files; beyond it, all become files."""


class Limits(NamedTuple):
    """Size limits of recorded data in a report, in characters of the file."""

    pages: int = 24_000_000
    pictures: int = 48_000_000


UNLIMITED = Limits(sys.maxsize, sys.maxsize)


class Side(NamedTuple):
    """Storage for episodes that are too large for one file."""

    stem: str
    """Prefix of their folder's name."""
    save: Callable[[SideFile], None]
    """Stores a file."""
    room: int = ROOM
    asks: Callable[[int], str] | None = None
    """Returns the name of the file to request for an episode without details; None if the report is read from disk,
    without a server."""


class Pack:
    """The data blocks of a report, by id.

    Without side files, earlier parts take the room first, and parts without room are counted. With side files there is
    room for all: once the episodes are too large together, every episode becomes a file.
    """

    def __init__(self, limits: Limits, side: Side | None = None) -> None:
        """Take the limits, which are ignored if side files are possible."""
        self.files: dict[int, str] = {}
        """Name of the side file of each episode, by its number; empty while the report contains everything."""
        self.pages_left_out = 0
        """Episodes whose pages did not fit."""
        self.pictures_left_out = 0
        self._limits, self._side = limits, side
        self._pages = self._pictures = 0
        self._left_out_ids: set[str] = set()
        self._current_blocks: dict[str, str] = {}
        """Blocks of the current episode."""
        self._used_earlier_ids: set[str] = set()
        """Ids of blocks of earlier episodes that this one refers to."""
        self._unfiled_episodes: list[tuple[int, dict[str, str], set[str]]] = []
        """Episodes that are not in files: number, blocks, and ids of earlier blocks."""
        self._size = 0
        self._known_ids: set[str] = set()
        self._file_of: dict[str, str] = {}
        """The side file of each shared block."""
        self._file_names: set[str] = set()
        """Names of the existing side files."""

    @property
    def unlimited(self) -> bool:
        """Whether nothing is ever left out, so that episodes can be packed independently."""
        return self._side is not None or self._limits == UNLIMITED

    def expect(self, numbers: Sequence[int], detailed: int) -> None:
        """Announce the episodes, and how many of them have details.

        If not all have details, every detailed one becomes a file, and the others have the name to request.
        """
        if self._side and detailed < len(numbers):
            self._side = self._side._replace(room=-1)
            if self._side.asks:
                self.files = {number: self._side.asks(number) for number in numbers}

    def add_episode(self, number: int, blocks: Mapping[str, str]) -> None:
        """Add the blocks of an episode that was packed independently; blocks of earlier episodes are dropped."""
        for name, block in blocks.items():
            if name in self._known_ids:
                self._used_earlier_ids.add(name)
            else:
                self._add(name, block)
        self.end_episode(number)

    @property
    def blocks(self) -> dict[str, str]:
        """The blocks inside the report, by id: everything that is not in side files."""
        return {
            name: block for _, blocks, _ in self._unfiled_episodes for name, block in blocks.items()
        } | self._current_blocks

    @property
    def folder(self) -> str:
        """Name of the folder of the side files; "" without any."""
        return folder_name(self._side.stem, self._file_names) if self._side and self._file_names else ""

    def add_text(self, name: str, text: str) -> None:
        """Add a text under an id, compressed; there is always room."""
        self._add(name, packed(text))

    def add_pages(self, name: str, pages: Sequence[str]) -> bool:
        """Add the pages of an episode under an id; return whether they fit.

        They are compressed together, because pages of an episode resemble each other.
        """
        # The separator must not occur in a page: recorded pages may contain any character.
        block = packed("\0".join(page.replace("\0", "\N{REPLACEMENT CHARACTER}") for page in pages))
        if not self._fits_page(block):
            self.pages_left_out += 1
            return False
        self._add(name, block)
        return True

    def add_sheet(self, text: str, make_harmless: Callable[[str], str]) -> str | None:
        """Add a style sheet once and return its id; None if it does not fit.

        `make_harmless` makes it harmless.
        """
        name = _sheet_name(text)
        if name in self._known_ids:
            self._used_earlier_ids.add(name)
            return name
        if name in self._left_out_ids:
            return None
        block = _packed_sheet(text, make_harmless)
        if not self._fits_page(block):
            self._left_out_ids.add(name)
            return None
        self._add(name, block)
        return name

    def add_picture(self, data: bytes) -> str | None:
        """Add a picture once and return its id; None if it does not fit."""
        name = f"i{_hash(data)}"
        # Named by its hash, so that equal pictures are stored once.
        if name in self._known_ids:
            self._used_earlier_ids.add(name)
            return name
        block = base64.b64encode(data).decode()
        if self._side is None and self._pictures + len(block) > self._limits.pictures:
            self._left_out_ids.add(name)
            self.pictures_left_out = sum(name.startswith("i") for name in self._left_out_ids)
            return None
        self._pictures += len(block)
        self._add(name, block)
        return name

    def end_episode(self, number: int) -> None:
        """End an episode: everything added since the previous end belongs to it."""
        self._unfiled_episodes.append(
            (number, self._current_blocks, self._used_earlier_ids - self._current_blocks.keys())
        )
        self._current_blocks, self._used_earlier_ids = {}, set()
        if self._side and self._size > self._side.room:
            self._move_to_files(self._side)

    def _move_to_files(self, side: Side) -> None:
        for number, blocks, used in self._unfiled_episodes:
            file = side_file(blocks, {name: self._file_of[name] for name in sorted(used)})
            side.save(file)
            self.files[number] = file.name
            self._file_names.add(file.name)
            # Other episodes refer only to pictures and style sheets.
            self._file_of |= dict.fromkeys((name for name in blocks if name[0] in "ic"), file.name)
        self._unfiled_episodes = []

    def _fits_page(self, block: str) -> bool:
        if self._side is None and self._pages + len(block) > self._limits.pages:
            return False
        self._pages += len(block)
        return True

    def _add(self, name: str, block: str) -> None:
        self._current_blocks[name] = block
        self._known_ids.add(name)
        self._size += len(block)


def packed(text: str) -> str:
    """Return a text compressed, in base64; equal texts give equal results."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), _GZIP_LEVEL, mtime=0)).decode()


# Nearly all pages of a run have the same few sheets, each of which is larger than a page.
@lru_cache(64)
def _packed_sheet(text: str, make_harmless: Callable[[str], str]) -> str:
    return packed(make_harmless(text))


@lru_cache(64)
def _sheet_name(text: str) -> str:
    return f"c{_hash(text.encode('utf-8', 'replace'))}"


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=9).hexdigest()


def source_of(script: str) -> str:
    """Return a script's source expression for a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
