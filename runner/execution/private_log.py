"""The log of a worker: a regular file in the run's folder that only its owner can read."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from stressweb.core.errors import UserError
from stressweb.log.run_file import PRIVATE_FILE


def private_log(path: Path) -> BinaryIO:
    """Open a log for appending, readable by its owner only; raise UserError unless it is a regular file.

    The folder may come from someone else, so the log must not be written through a link in it.
    """
    try:
        # Without O_NONBLOCK, opening a named pipe would wait for a reader.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(path, flags, PRIVATE_FILE)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise UserError(f"log {path} is a link or not a regular file; remove it") from None
        raise
    status = os.fstat(handle)
    # O_NOFOLLOW does not detect a hard link, which could lead to one of the user's own files.
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(handle)
        raise UserError(f"log {path} is a link or not a regular file; remove it")
    # The log of an earlier attempt may exist with other permissions.
    os.fchmod(handle, PRIVATE_FILE)
    os.set_blocking(handle, True)
    return os.fdopen(handle, "ab")
