"""Finds the run that a command reads, by its name, its folder or its bundle."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from stressweb.bundle.unpacked import unpack
from stressweb.log.run_folder import run_folder


class LocatedRun(NamedTuple):
    """Where a run is."""

    folder: Path
    """Folder with its database."""
    name: str
    """Its name when it was made or bundled."""
    bundle: Path | None = None
    """The bundle that it was unpacked from. If set, the folder is temporary; the bundle itself is never changed."""

    @property
    def display_path(self) -> Path:
        """The path for messages: that of the bundle, if there is one, else that of the folder."""
        return self.bundle or self.folder

    def beside(self, file_name: str) -> Path:
        """Return the path of an output file: in the run's folder, or beside its bundle with the bundle's name."""
        if self.bundle is None:
            return self.folder / file_name
        return self.bundle.with_name(f"{self.bundle.stem}-{file_name}")


@contextmanager
def locate_run(name: str, runs_dir: Path) -> Iterator[LocatedRun]:
    """Yield the location of a run. `name` is its name, the path of its folder, or its bundle, which is unpacked.

    Raises UserError if there is no such run, or if the bundle is damaged or was changed.
    """
    path = Path(name)
    # A run is a folder, so a file can only be a bundle.
    if not path.is_file():
        folder = run_folder(name, runs_dir)
        # Resolved, so a folder given as `.` or as a link keeps its own name.
        yield LocatedRun(folder, folder.resolve().name)
        return
    with tempfile.TemporaryDirectory(prefix="stressweb-bundle-") as unpacked:
        manifest = unpack(path, Path(unpacked))
        yield LocatedRun(Path(unpacked), manifest.run, path)
