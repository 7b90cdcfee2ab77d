"""The folder of an export: it is complete or missing, and only replaces an earlier export."""

import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.core.whole_file import check_folder, umask

README = "README.md"
LOG = ".eval"
"""File name extension of logs; an export may hold any number of them."""
MARK = "<!-- stressweb export -->"
"""First line of the README of an export, by which its folder is recognised."""


@contextmanager
def replacing(folder: Path, names: Collection[str], *, private: bool) -> Iterator[Path]:
    """Yield an empty folder to write to; at the end of the block it becomes `folder`.

    It replaces an earlier export, whose files have `names` or are logs, or an empty folder. If the block raises, or its
    process is killed, `folder` is unchanged. Raises UserError before the block for a folder that holds anything else.
    """
    check(folder, names)
    try:
        # In the same parent folder, and so on the same disk, where renaming is atomic.
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            yield beside
            # A temporary folder is private. Outside of a run, the export gets the permissions of any new folder.
            if not private:
                beside.chmod(0o777 & ~umask())
            _exchange(beside, folder)
        finally:
            # Missing if it has become the export.
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror or error}") from None


def check(folder: Path, names: Collection[str]) -> bool:
    """Return whether there is an earlier export; raises UserError for anything else, or without a parent folder."""
    refused = f"{folder} exists and is not an export of stressweb"
    check_folder(folder)
    try:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise UserError(f"{refused}; choose another folder with --output")
        names_in_folder = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
        if not names_in_folder:
            return False
        # An export never deletes a user's file: any foreign file protects the whole folder.
        foreign = [name for name in names_in_folder if name not in names and not name.endswith(LOG)]
        # Names alone prove nothing: a folder of the user's may have a README.md and a results.csv.
        if foreign or not _is_ours(folder / README):
            reason = f": it holds {foreign[0]}" if foreign else ""
            raise UserError(f"{refused} alone{reason}; choose another folder with --output")
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror or error}") from None
    return True


def _is_ours(readme: Path) -> bool:
    with suppress(FileNotFoundError), readme.open("rb") as file:
        return file.read(len(MARK)) == MARK.encode()
    return False


def _exchange(beside: Path, folder: Path) -> None:
    """Put the new folder in place; the old folder stays until then."""
    if not folder.exists():
        beside.rename(folder)
        return
    # A folder with files cannot be overwritten by a rename, so the old folder is moved aside first.
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.old.", dir=folder.parent))
    # A rename may overwrite an empty folder.
    folder.rename(old)
    try:
        beside.rename(folder)
    # After Ctrl-C, too: between the two renames there is no export under its name.
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
