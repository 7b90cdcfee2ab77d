"""Files that are written as a whole: who reads meanwhile has the old file or the new one, never a part."""

import os
import tempfile
from pathlib import Path

from stressweb.core.errors import UserError


def put(path: Path, text: str, mode: int | None = None) -> None:
    """Put a text in place in one go, with the rights of `mode`, or those of any new file.

    Raises UserError if it cannot be written; the file is then as it was.
    """
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            os.fchmod(handle, 0o666 & ~_umask() if mode is None else mode)
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
