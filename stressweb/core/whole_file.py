"""Atomic file writes: a reader sees the whole old file or the whole new one."""

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from stressweb.core.errors import UserError

_PRIVATE, _SHARED = 0o600, 0o666


@contextmanager
def atomic_file(path: Path, *, private: bool) -> Iterator[BinaryIO]:
    """Yield a file to write to; at the end of the block it replaces the file at `path`.

    If the block raises, the file at `path` is unchanged. A `private` file is readable only for its owner; otherwise the
    umask applies. Raises UserError if the file cannot be written.
    """
    try:
        # In the same folder and so on the same disk, because renaming is atomic only there.
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            os.fchmod(handle, _PRIVATE if private else _SHARED & ~umask())
            with os.fdopen(handle, "wb") as file:
                yield file
            Path(temporary).replace(path)
        # BaseException, so that no temporary file remains after Ctrl-C.
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from None


def write_atomically(path: Path, text: str, *, private: bool = False) -> None:
    """Write a text to a file atomically, as `atomic_file` does."""
    with atomic_file(path, private=private) as file:
        # A page or an answer may contain a lone surrogate, which UTF-8 cannot represent.
        file.write(text.encode("utf-8", "replace"))


def check_folder(path: Path) -> None:
    """Raise UserError if the folder of `path` does not exist."""
    if not path.parent.is_dir():
        raise UserError(f"{path} cannot be written: {path.parent} is not a folder")


def umask() -> int:
    """Return the umask of this process."""
    # Linux shows it in /proc. Elsewhere you can read it only by setting it; meanwhile other threads would create files
    # that everybody may write.
    with contextlib.suppress(OSError):
        match = re.search(r"^Umask:\s*([0-7]+)$", Path("/proc/self/status").read_text("ascii", "replace"), re.MULTILINE)
        if match:
            return int(match[1], 8)
    current = os.umask(0)
    os.umask(current)
    return current
