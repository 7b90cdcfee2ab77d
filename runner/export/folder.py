"""The folder of an export: it is complete or not there, and replaces nothing but an earlier export."""

import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.core.whole_file import check_folder, umask

README = "README.md"
LOG = ".eval"
"""Ending of the names of logs; an export may hold any number of them."""
MARK = "<!-- stressweb export -->"
"""First line of the README of an export, by which its folder is recognised."""


@contextmanager
def replacing(folder: Path, names: Collection[str], *, private: bool) -> Iterator[Path]:
    """Yield an empty folder to write to; at the end of the block it stands at `folder`.

    It takes the place of an earlier export, whose files have `names` or are logs, or of an empty folder. If the block
    raises, or its process is killed, `folder` stays as it was. Raises UserError before the block for a folder that
    holds anything else.
    """
    check(folder, names)
    try:
        # In the same folder and so on the same disk: only there is renaming one step, which is done or not.
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            yield beside
            # A temporary folder is private. Outside of a run, the export gets the rights of any new folder.
            if not private:
                beside.chmod(0o777 & ~umask())
            _exchange(beside, folder)
        finally:
            # Not there any more if it has become the export.
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror or error}") from None


def check(folder: Path, names: Collection[str]) -> bool:
    """Return whether an earlier export is there; raises UserError for anything else, or without a folder around it."""
    refused = f"{folder} exists and is no export of stressweb"
    check_folder(folder)
    try:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise UserError(f"{refused}; choose another folder with --output")
        there = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
        if not there:
            return False
        # An export never deletes a user's file: any file that it does not write itself protects the whole folder.
        foreign = [name for name in there if name not in names and not name.endswith(LOG)]
        # Names alone prove nothing: a folder of the user's may well have a README.md and a results.csv.
        if foreign or not _is_ours(folder / README):
            what = f": it holds {foreign[0]}" if foreign else ""
            raise UserError(f"{refused} alone{what}; choose another folder with --output")
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror or error}") from None
    return True


def _is_ours(readme: Path) -> bool:
    with suppress(FileNotFoundError), readme.open("rb") as file:
        return file.read(len(MARK)) == MARK.encode()
    return False


def _exchange(beside: Path, folder: Path) -> None:
    """Put the new folder in place; the old one is there until the new one is whole."""
    if not folder.exists():
        beside.rename(folder)
        return
    # A folder with files in it cannot be renamed over, so that the old one steps aside first.
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.old.", dir=folder.parent))
    # An empty folder may be renamed over.
    folder.rename(old)
    try:
        beside.rename(folder)
    # After Ctrl-C, too: between the two steps there is no export under its name.
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
