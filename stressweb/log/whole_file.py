"""A text file that is put in place in one go: who reads meanwhile has the old file or the new one."""

import os
import tempfile
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.log.run_file import PRIVATE_FILE


def put(path: Path, text: str, *, private: bool) -> None:
    """Put a text in place of a file; raises UserError, and leaves the file as it is, if that fails.

    In a run's folder it is `private`, for its owner alone; elsewhere it is a file like any other.
    """
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            os.fchmod(handle, PRIVATE_FILE if private else 0o666 & ~_umask())
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            Path(beside).replace(path)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from None


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
