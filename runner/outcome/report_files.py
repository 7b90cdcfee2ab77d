"""The files of a report: an HTML file and, for large runs, a folder of side files next to it.

A report is replaced atomically. The folder's name is a hash of its files, so the old and new folders coexist until the
HTML file refers to the new one. Then the old folder is removed, except for files whose content was changed.
"""

import contextlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.core.whole_file import atomic_file, check_folder, umask
from stressweb.log.run_file import PRIVATE_FILE, PRIVATE_FOLDER
from stressweb.report.pack import ROOM, Side
from stressweb.report.page import FILES, GENERATOR
from stressweb.report.side_files import NAME, SideFile, folder_name, name_of

_HEAD = 4096
"""Number of bytes at the start of a report that identify it as one."""
# No slash: a forged report must not name a folder elsewhere, since the folder is removed.
_NAMED = re.compile(rf'<meta name="{FILES}" content="([^"/]*-[0-9a-f]{{16}})">')


class ReportFiles:
    """The files of a report at a path. Use it as a context manager, which removes unfinished files."""

    def __init__(self, path: Path, *, private: bool) -> None:
        """Raise UserError if `path` has a file that is not a report, or cannot be written.

        `private` makes all files readable only by their owner.
        """
        head = _head(path)
        self.replaces = head is not None
        """Whether there is an earlier report."""
        self.folder: Path | None = None
        """Folder of the side files once the report is finished; None if there are none."""
        self.side_bytes = 0
        """Total size of the side files."""
        self._path, self._private = path, private
        self._old = _NAMED.search((head or b"").decode(errors="replace"))
        self._temporary: Path | None = None
        self._names: list[str] = []

    def side(self, room: int = ROOM, asks: Callable[[int], str] | None = None) -> Side:
        """Return the destination for episodes that exceed `room` characters in total; `asks` is as in `Side`."""
        return Side(self._path.stem, self._put, room, asks)

    def finish(self, text: str) -> None:
        """Put the report in place atomically. Raises UserError if it cannot be written."""
        try:
            if self._temporary:
                self.folder = self._path.with_name(folder_name(self._path.stem, self._names))
                self._settle(self._temporary, self.folder)
            with atomic_file(self._path, private=self._private) as file:
                file.write(text.encode("utf-8", "replace"))
        except OSError as error:
            raise UserError(f"{self._path} cannot be written: {error.strerror or error}") from None
        old = self._path.with_name(self._old[1]) if self._old else None
        if old and old != self.folder:
            remove(old)

    def __enter__(self) -> "ReportFiles":
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove files that were not put in place."""
        if self._temporary:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _put(self, file: SideFile) -> None:
        try:
            # Created with the first file, since most reports need no folder; next to the report, so that it can be
            # renamed.
            if not self._temporary:
                self._temporary = Path(tempfile.mkdtemp(prefix=f".{self._path.name}.", dir=self._path.parent))
            content, path = file.text.encode(), self._temporary / file.name
            path.write_bytes(content)
            path.chmod(PRIVATE_FILE if self._private else 0o666 & ~umask())
        except OSError as error:
            raise UserError(f"{self._path} cannot be written: {error.strerror or error}") from None
        self.side_bytes += len(content)
        self._names.append(file.name)

    def _settle(self, temporary: Path, folder: Path) -> None:
        """Move the side files to their folder, unless it already has the same files."""
        temporary.chmod(PRIVATE_FOLDER if self._private else 0o777 & ~umask())
        if not os.path.lexists(folder):
            temporary.replace(folder)
        elif not _holds_exactly(folder, self._names):
            raise UserError(f"{folder} exists and is not what stressweb report wrote there; move it away")


def remove(folder: Path) -> None:
    """Remove the side files of a folder, and the folder if it is then empty; changed files stay."""
    # Files that cannot be removed stay; they do no harm.
    with contextlib.suppress(OSError):
        # Never follow a link and remove files elsewhere.
        if folder.is_symlink():
            return
        for path in folder.iterdir():
            if _unchanged(path):
                path.unlink()
        folder.rmdir()


def _holds_exactly(folder: Path, names: list[str]) -> bool:
    if folder.is_symlink() or not folder.is_dir():
        return False
    return {path.name for path in folder.iterdir()} == set(names) and all(map(_unchanged, folder.iterdir()))


def _unchanged(path: Path) -> bool:
    """Return whether a file is a side file whose content matches its name."""
    regular = bool(NAME.fullmatch(path.name)) and stat.S_ISREG(path.lstat().st_mode)
    return regular and name_of(path.read_bytes()) == path.name


def _head(path: Path) -> bytes | None:
    """Return the start of the report at a path, None if there is no file; raises UserError for any other file."""
    check_folder(path)
    try:
        # Opening a named pipe would block, and a link must not be replaced.
        if not path.is_dir() and not stat.S_ISREG(path.lstat().st_mode):
            raise UserError(f"{path} exists and is not a stressweb report; choose another file with --output")
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from None
    if GENERATOR.encode() not in head:
        raise UserError(f"{path} exists and is not a stressweb report; choose another file with --output")
    return head
