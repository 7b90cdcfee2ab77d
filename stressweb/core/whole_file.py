"""Files that are put in place in one go: who reads meanwhile has the old file or the new one, never half of one."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from stressweb.core.errors import UserError

_PRIVATE, _SHARED = 0o600, 0o666


@contextmanager
def whole(path: Path, *, private: bool) -> Iterator[BinaryIO]:
    """Yield a file to write to; at the end of the block it stands at `path`, and replaces what was there.

    If the block raises, `path` stays as it is. `private` makes it readable for its owner alone; else the umask decides.
    Raises UserError if it cannot be written.
    """
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            os.fchmod(handle, _PRIVATE if private else _SHARED & ~umask())
            with os.fdopen(handle, "wb") as file:
                yield file
            Path(beside).replace(path)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from None


def umask() -> int:
    """Return the umask of this process."""
    current = os.umask(0)
    os.umask(current)
    return current
