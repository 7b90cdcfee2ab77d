"""Finds the run that a command reads: by its name, by its folder, or in a bundle."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from stressweb.bundle.unpacked import unpack
from stressweb.log.run_folder import run_folder


class Found(NamedTuple):
    """Where a run is."""

    folder: Path
    """Folder with its database."""
    name: str
    """Its name when it was made or bundled."""
    bundle: Path | None = None
    """The bundle that it was unpacked from; then the folder is temporary, and the bundle stays as it is."""

    @property
    def shown(self) -> Path:
        """The path that is shown to the user: that of the bundle or of the folder."""
        return self.bundle or self.folder

    def beside(self, what: str) -> Path:
        """Return the path of a file made from the run: in its folder, or beside its bundle with the bundle's name."""
        return self.folder / what if self.bundle is None else self.bundle.with_name(f"{self.bundle.stem}-{what}")


@contextmanager
def found(name: str, runs_dir: Path) -> Iterator[Found]:
    """Yield where a run is, given by name, by the path of its folder or by its bundle, which is checked and unpacked.

    Raises UserError if there is none, or if the bundle is damaged or was changed.
    """
    path = Path(name)
    # A run is a folder, so that a file can only be meant as a bundle.
    if not path.is_file():
        folder = run_folder(name, runs_dir)
        # A folder given as `.` or by a link keeps its own name.
        yield Found(folder, folder.resolve().name)
        return
    with tempfile.TemporaryDirectory(prefix="stressweb-bundle-") as unpacked:
        manifest = unpack(path, Path(unpacked))
        yield Found(Path(unpacked), manifest.run, path)
