"""An episode in a database of its own: how it travels from another machine to the one that keeps the run."""

import tempfile
from pathlib import Path

from stressweb.core.draws import digest
from stressweb.core.errors import UserError
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.log.store_reader import StoreReader


def place(database: Path, cell: Cell) -> Path:
    """Return where the episode of a cell is written, beside what would be the database of its run."""
    # A key has characters that no file may have, and may be long.
    return database.with_name(f"{digest('parcel', cell.key, size=16).hex()}-{database.name}")


def write(path: Path, record: EpisodeRecord) -> None:
    """Write an episode into a new database at `path`, in the place of an earlier one.

    Raises what `Store.save` raises, and then leaves no file.
    """
    path.unlink(missing_ok=True)
    try:
        with Store.create(path, {}, [record.cell]) as store:
            store.save(record)
    # An episode that is too large is saved again without its steps, and half of this one must not stand in its place.
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def unpack(data: bytes, cell: Cell) -> EpisodeRecord:
    """Return the episode in the bytes of such a database; raises UserError if it is not a whole episode of `cell`.

    Its seal and the hash of every page are checked: what was damaged on its way is never kept.
    """
    # The same format as a run, and not pickle: it is read by code that trusts no file, and holds data alone.
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
    # A record that is read back does not hold them: the store has them once for all episodes of a site.
    record.sheets = store.sheets(cell.site, cell.world)
    return record
