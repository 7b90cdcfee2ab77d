"""Whether there is space left for a run: in its folder, and for the browser's temporary files."""

import errno
import os
import shutil
import tempfile
from pathlib import Path

from stressweb.core.errors import DiskFullError

LEAST = 1_000_000
"""Bytes that must be free for temporary files: a browser's profile, and what it downloads and uploads."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


def check(folder: Path) -> None:
    """Raise DiskFullError if the run's folder or the one for temporary files has no space left."""
    error = full(folder)
    if error is not None:
        raise error


def full(folder: Path) -> DiskFullError | None:
    """Return which of the two folders has no space left, as an error to raise; None if both have."""
    # As the browser's driver finds it. Python's own way passes over a folder that is full.
    temporary = Path(next(filter(None, map(os.environ.get, ("TMPDIR", "TMP", "TEMP"))), "/tmp"))  # noqa: S108
    # SQLite itself reports that the run's folder is full. A browser fails in many ways without space for its files, so
    # some space must be there beforehand.
    for what, place, least in (("the run's folder", folder, 0), ("the folder for temporary files", temporary, LEAST)):
        if not _room(place, least):
            return DiskFullError(f"no space left in {what}, {place}")
    return None


def _room(folder: Path, least: int) -> bool:
    """Whether so many bytes are free in a folder, and a small file can be written: a quota shows only then."""
    try:
        if shutil.disk_usage(folder).free < least:
            return False
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(65536))
    except OSError as error:
        # Any other error is not about space, and is reported where writing fails.
        return error.errno not in _FULL
    return True
