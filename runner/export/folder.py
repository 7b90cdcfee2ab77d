"""The folder of an export, written atomically; it only replaces an earlier export."""

import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.core.whole_file import check_folder, umask

README = "README.md"
LOG = ".eval"
"""File name extension of Inspect AI's logs, of which an export may contain any number."""
MARK = "<!-- stressweb export -->"
"""First line of the README of an export, by which its folder is recognised."""


@contextmanager
def replacing(folder: Path, names: Collection[str], *, private: bool) -> Iterator[Path]:
    """Yield a temporary folder to write to, which becomes `folder` at the end of the block.

    It replaces an empty folder or an earlier export, whose files have `names` or are logs. If the block raises, or the
    process is killed, `folder` is unchanged. Raises UserError before the block for a folder with any other file.
    """
    check(folder, names)
    try:
        # In the same parent folder, so that renaming is atomic.
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            yield temporary
            # A temporary folder is private; outside a run, the export gets default permissions.
            if not private:
                temporary.chmod(0o777 & ~umask())
            _exchange(temporary, folder)
        finally:
            # It no longer exists if it has become the export.
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror or error}") from None


def check(folder: Path, names: Collection[str]) -> bool:
    """Return whether `folder` is an earlier export; raises UserError if it has other files, or no parent folder."""
    refusal = f"{folder} exists and is not an export of stressweb"
    check_folder(folder)
    try:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise UserError(f"{refusal}; choose another folder with --output")
        names_in_folder = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
        if not names_in_folder:
            return False
        # Never delete a user's file: a foreign file protects the whole folder.
        foreign = [name for name in names_in_folder if name not in names and not name.endswith(LOG)]
        # Names are no proof: any folder may contain README.md and results.csv.
        if foreign or not _is_ours(folder / README):
            reason = f": it contains {foreign[0]}" if foreign else ""
            raise UserError(f"{refusal}{reason}; choose another folder with --output")
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror or error}") from None
    return True


def _is_ours(readme: Path) -> bool:
    with suppress(FileNotFoundError), readme.open("rb") as file:
        return file.read(len(MARK)) == MARK.encode()
    return False


def _exchange(temporary: Path, folder: Path) -> None:
    """Put the new folder in place of the old one."""
    if not folder.exists():
        temporary.rename(folder)
        return
    # A rename cannot overwrite a folder with files, so move the old one aside, over an empty folder.
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.old.", dir=folder.parent))
    folder.rename(old)
    try:
        temporary.rename(folder)
    # Also after Ctrl-C between the two renames.
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
