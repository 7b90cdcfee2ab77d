"""A run by its name, by its folder, or in a bundle: what the commands that read a run are given."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from runner.bundle.unpacked import unpack
from runner.experiment.run_folder import run_folder


class Found(NamedTuple):
    """Where a run is."""

    folder: Path
    """Folder with its database."""
    name: str
    """What it was called when it was made or bundled."""
    bundle: Path | None = None
    """The bundle that it was unpacked from; then the folder is temporary, and the bundle stays as it is."""

    @property
    def shown(self) -> Path:
        """What to call it."""
        return self.bundle or self.folder

    def beside(self, what: str) -> Path:
        """Return where something made of it is put: in its folder, or beside its bundle with the bundle's name."""
        return self.folder / what if self.bundle is None else self.bundle.with_name(f"{self.bundle.stem}-{what}")


@contextmanager
def found(name: str, runs_dir: Path) -> Iterator[Found]:
    """Yield where a run is, given by name, by the path of its folder or by its bundle, which is checked and unpacked.

    Raises UserError if there is none, or if something about the bundle does not fit.
    """
    path = Path(name)
    if not path.is_file():
        folder = run_folder(name, runs_dir)
        # Given as `.` or by a link, a folder is still called by its own name.
        yield Found(folder, folder.resolve().name)
        return
    with tempfile.TemporaryDirectory(prefix="stressweb-bundle-") as unpacked:
        manifest = unpack(path, Path(unpacked))
        yield Found(Path(unpacked), manifest.run, path)
