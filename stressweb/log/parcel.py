"""An episode in a database of its own, in which it travels from a remote worker to the host of the run."""

import tempfile
from pathlib import Path

from stressweb.core.draws import digest
from stressweb.core.errors import UserError
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.log.store_reader import StoreReader


def place(database: Path, cell: Cell) -> Path:
    """Return the path for the episode of a cell, beside the database of its run."""
    # A key may be long and contain characters that file names cannot.
    return database.with_name(f"{digest('parcel', cell.key, size=16).hex()}-{database.name}")


def write(path: Path, record: EpisodeRecord) -> None:
    """Write an episode into a new database at `path`, replacing an earlier one.

    Raises what `Store.save` raises, and leaves no file then.
    """
    path.unlink(missing_ok=True)
    try:
        with Store.create(path, {}, [record.cell]) as store:
            store.save(record)
    # An oversized episode is saved again without its steps, so half of this one must not remain.
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def unpack(data: bytes, cell: Cell) -> EpisodeRecord:
    """Return the episode from the bytes of such a database; raises UserError if it is not a whole episode of `cell`.

    Its seal and the hash of every page are checked: an episode that was damaged on the way is never kept.
    """
    # The format of a run and not pickle: it holds only data, and the code that reads it trusts no file.
    with tempfile.TemporaryDirectory(prefix="stressweb-") as folder:
        path = Path(folder) / FILE
        path.write_bytes(data)
        with Store.read(path) as store:
            if store.cells() != [cell] or not store.has(cell):
                raise UserError(f"a worker sent something else than the episode {cell.key}")
            return whole(store, cell)


def whole(store: StoreReader, cell: Cell) -> EpisodeRecord:
    """Return an episode of a run with the style sheets that its pages link."""
    record = store.load(cell)
    # A loaded record has none: the store keeps them once for all episodes of a site.
    record.sheets = store.sheets(cell.site, cell.world)
    return record
