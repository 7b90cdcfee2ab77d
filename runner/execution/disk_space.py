"""Checks that a run has disk space in its folder and for the browser's temporary files."""

import errno
import os
import shutil
import tempfile
from pathlib import Path

from stressweb.core.errors import DiskFullError

LEAST = 1_000_000
"""Bytes that must be free for temporary files: a browser's profile, downloads and uploads."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


def check(folder: Path) -> None:
    """Raise DiskFullError if the run's folder or the folder for temporary files has no space left."""
    error = full(folder)
    if error is not None:
        raise error


def full(folder: Path) -> DiskFullError | None:
    """Return an error that names the folder without space; None if both folders have space."""
    # Look the folder up as the browser's driver does; Python's `gettempdir` skips a full folder.
    temporary = Path(next(filter(None, map(os.environ.get, ("TMPDIR", "TMP", "TEMP"))), "/tmp"))  # noqa: S108
    # SQLite itself reports that the run's folder is full. Without space for its files, a browser fails in many
    # different ways, so require some beforehand.
    for role, path, least in (("the run's folder", folder, 0), ("the folder for temporary files", temporary, LEAST)):
        if not _room(path, least):
            return DiskFullError(f"no space left in {role}, {path}")
    return None


def _room(folder: Path, least: int) -> bool:
    """Return whether a folder has enough free bytes and a small file can be written, which also detects a quota."""
    try:
        if shutil.disk_usage(folder).free < least:
            return False
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(65536))
    except OSError as error:
        # Other errors are not about space and are reported when writing fails.
        return error.errno not in _FULL
    return True
