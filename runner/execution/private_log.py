"""The log of a worker: a plain file in the run's folder, for its owner alone."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from stressweb.core.errors import UserError
from stressweb.log.run_file import PRIVATE_FILE


def private_log(path: Path) -> BinaryIO:
    """Open a log to append to, for its owner alone; raises UserError for a link or anything else that is no plain file.

    The folder may be a stranger's: what is written must not end up where a link in it leads.
    """
    try:
        # Without O_NONBLOCK a named pipe would wait for a reader.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(path, flags, PRIVATE_FILE)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            raise UserError(f"log {path} is a link or not a regular file; remove it") from None
        raise
    status = os.fstat(handle)
    # O_NOFOLLOW does not see a hard link, under which the file could be one of the user's own.
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(handle)
        raise UserError(f"log {path} is a link or not a regular file; remove it")
    # The log of an earlier try may be there with other rights.
    os.fchmod(handle, PRIVATE_FILE)
    os.set_blocking(handle, True)
    return os.fdopen(handle, "ab")
