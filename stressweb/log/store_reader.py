"""Reads a run database. Everything is checked, because the file may be untrusted."""

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from stressweb.core.bounded_json import json_in
from stressweb.core.errors import AlteredError, UserError, first_line
from stressweb.core.validation import first
from stressweb.log import register, sealing, sheets
from stressweb.log.blobs import Blobs
from stressweb.log.episode import Episode, EpisodeDetails, EpisodeEnd, cell_in, details_in, episode_in, step_actions_in
from stressweb.log.ledger import Entry
from stressweb.log.page_reader import BareStep, PageReader
from stressweb.log.recording import Cell, EpisodeRecord, Status
from stressweb.log.run_file import full, open_checked, reading, why
from stressweb.log.sealing import Stored
from stressweb.log.store_rows import final_in, grade_in, usage_in
from stressweb.plugins.agent import Usage


class NoEpisodeError(KeyError):
    """A cell has no episode."""


class StoreReader:
    """Reads the database of one run. An episode that was changed raises AlteredError."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Take an open connection; use `create` or `open`."""
        self.path = path
        self._connection = connection
        self._blobs = Blobs(connection)
        self._pages = PageReader(self._blobs)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the database of a run to read and write it.

        Raises UserError and leaves the file as it is if it is not a run, is damaged, or contains anything that a run
        does not; DiskFullError if there is no space for the index of its log.
        """
        return cls(path, open_checked(path, writable=True))

    @classmethod
    def read(cls, path: Path, *, known: bool = False) -> Self:
        """Open the database of a run read-only, otherwise like `open`: no method can change the file.

        `known`: this command has opened it already, here or in another process. A large file is then not scanned again;
        seals and contents are still checked as they are read.
        """
        return cls(path, open_checked(path, writable=False, known=known))

    def close(self) -> None:
        """Close the connection; the last one to close checkpoints the log."""
        self._connection.close()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the store."""
        self.close()

    def meta(self) -> dict[str, Any]:
        """Return the entries about the run as a whole."""
        with self._legible():
            rows = self._connection.execute("SELECT name, value FROM meta").fetchall()
            own = [row for row in rows if row[0] != register.NAME and not row[0].startswith(sheets.NAMES)]
            return {name: json_in(value) for name, value in own}

    def cells(self) -> list[Cell]:
        """Return every planned cell, in the order of the plan."""
        with self._legible():
            return [
                cell_in(*row)
                for row in self._connection.execute("SELECT key, data FROM cell ORDER BY position").fetchall()
            ]

    def identities(self) -> dict[str, str]:
        """Return the identity of each planned cell, a hash by key; "" if unknown."""
        return dict(self._connection.execute("SELECT key, identity FROM cell ORDER BY position").fetchall())

    def pending(self) -> list[Cell]:
        """Return the cells that have no episode, or one that ended in error."""
        # An error says nothing about the agent, so its cell runs again; every other end is final.
        rows = self._connection.execute("SELECT cell FROM episode WHERE status <> 'error'")
        finished = {key for (key,) in rows}
        return [cell for cell in self.cells() if cell.key not in finished]

    def missing(self) -> list[Cell]:
        """Return the cells that have no episode, not even one that ended in error."""
        finished = {key for (key,) in self._connection.execute("SELECT cell FROM episode")}
        return [cell for cell in self.cells() if cell.key not in finished]

    def misfit(self) -> str:
        """Return how the run as a whole differs from what was recorded, in one sentence; "" if it does not.

        Detects removed, added and exchanged episodes, and another plan; changes within an episode are detected by its
        seal when it is read.
        """
        with self._legible(), reading(self._connection):
            return register.misfit(self._connection)

    def check_whole(self) -> None:
        """Raise AlteredError if the run as a whole was changed."""
        if misfit := self.misfit():
            # A file with values that stressweb never writes is rejected for that.
            self.cells()
            error = AlteredError(f"{self.path} was changed after it was recorded: {misfit}")
            error.misfit = misfit
            raise error

    def has(self, cell: Cell) -> bool:
        """Return whether the cell has an episode."""
        return self._connection.execute("SELECT 1 FROM episode WHERE cell = ?", (cell.key,)).fetchone() is not None

    def sheets(self, site: str, world: int) -> dict[str, str]:
        """Return the style sheets of a site under a world seed, by URL; none if the run recorded none."""
        with self._legible():
            return sheets.get(self._connection, self._blobs, site, world)

    def altered(self, *, contents: bool = False) -> dict[str, str]:
        """Return the mismatch of each altered episode, by key; `contents`: check pages as well.

        Without its pages an episode takes well below a millisecond.
        """
        with self._legible():
            # Includes episodes whose cell is not planned: a plain join would hide them.
            keys = self._connection.execute("SELECT cell FROM episode LEFT JOIN cell ON key = cell ORDER BY position")
            misfits = {key: self._misfit(key, contents=contents) for (key,) in keys.fetchall()}
            return {key: misfit for key, misfit in misfits.items() if misfit}

    def episodes(self, without: Collection[str] = ()) -> list[Episode]:
        """Return every finished episode without its pages, in the order of the plan; raises AlteredError.

        `without` has keys of cells to leave out.
        """
        return list(self.each(without))

    def each(self, without: Collection[str] = ()) -> Iterator[Episode]:
        """Yield what `episodes` returns one by one, so a run of any length takes the memory of one episode."""
        with self._legible():
            keys = self._connection.execute("SELECT cell FROM episode JOIN cell ON key = cell ORDER BY position")
            # Only keys are read at once. An open query would keep SQLite from checkpointing the log for as long as the
            # caller takes.
            planned = keys.fetchall()
        for (key,) in planned:
            if key not in without:
                # Not around the yield, because an error in the caller's code is not a fault of the file.
                with self._legible():
                    episode = episode_in(key, self._unaltered_rows(key))
                yield episode

    def costs(self) -> list[tuple[Cell, Status, float, Usage]]:
        """Return cell, status, seconds and usage of every finished episode, without checking seals.

        For estimates only: published figures come from `episodes`.
        """
        with self._legible():
            query = "SELECT key, data, status, seconds, usage FROM episode JOIN cell ON key = cell ORDER BY position"
            rows = self._connection.execute(query).fetchall()
            return [
                (cell_in(key, data), status, seconds, usage_in(usage)) for key, data, status, seconds, usage in rows
            ]

    def outcomes(self) -> list[EpisodeEnd]:
        """Return how every finished episode ended, in the order of the plan, without checking seals.

        For lists of many runs: a thousand episodes take a few hundredths of a second.
        """
        with self._legible():
            query = "SELECT key, data, status, grade FROM episode JOIN cell ON key = cell ORDER BY position"
            rows = self._connection.execute(query).fetchall()
            endings = ((cell_in(key, data), status, grade_in(grade)) for key, data, status, grade in rows)
            return [EpisodeEnd(cell, status, grade is not None and grade.outcome) for cell, status, grade in endings]

    def episode(self, cell: Cell) -> Episode:
        """Return a finished episode without its pages; raises UserError if the cell has none, AlteredError."""
        with self._legible():
            return episode_in(cell.key, self._unaltered_rows(cell.key))

    def details(self, cell: Cell) -> EpisodeDetails:
        """Return a finished episode with its ledger and actions; raises UserError if the cell has none, AlteredError.

        Rows are read once for all of it, which takes half as long as reading each part.
        """
        with self._legible():
            return details_in(cell.key, self._unaltered_rows(cell.key))

    def finished(self) -> list[Cell]:
        """Return every cell that has an episode, in the order of the plan."""
        with self._legible():
            rows = self._connection.execute("SELECT key, data FROM episode JOIN cell ON key = cell ORDER BY position")
            return [cell_in(*row) for row in rows.fetchall()]

    def load(self, cell: Cell, *, bare: bool = False) -> EpisodeRecord:
        """Return a finished episode with all its pages; raise KeyError if the cell has none, AlteredError.

        All of its stored data is checked. A `bare` episode is what checkpoints of a task need: its steps have only an
        action and a page with address and document.
        """
        with self._legible(), reading(self._connection):
            if self._connection.execute("SELECT 1 FROM episode WHERE cell = ?", (cell.key,)).fetchone() is None:
                raise NoEpisodeError(cell.key)
            return self.record(self.details(cell), bare=bare)

    def check(self, details: EpisodeDetails) -> None:
        """Check the contents of an episode without returning them; raises AlteredError."""
        with self._legible(), reading(self._connection), self._blobs.together():
            try:
                self._pages.check(details.stored)
            except AlteredError as error:
                raise self._refusal(details.episode.cell.key, str(error)) from None

    def record(self, details: EpisodeDetails, *, bare: bool = False) -> EpisodeRecord:
        """Return the whole episode of `details`, as `load` does."""
        episode = details.episode
        with self._legible(), reading(self._connection), self._blobs.together():
            try:
                steps = self._pages.steps(details.stored["step"], details.step_actions, bare=bare)
                closings = self._pages.closings(details.stored["closing"], bare=bare)
            except AlteredError as error:
                raise self._refusal(episode.cell.key, str(error)) from None
            ((final,),) = details.stored["episode"].of("final")
            record = EpisodeRecord(
                cell=episode.cell,
                status=episode.status,
                claim=episode.claim,
                message=episode.message,
                steps=steps,
                closings=closings,
                final=final_in(final),
                ledger=details.ledger,
                grade=episode.grade,
                seconds=episode.seconds,
                traceback=episode.traceback,
            )
            if not bare:
                # The steps have the cost of finished decisions; the sum includes an unfinished one.
                record.ending = episode.usage - record.usage
            return record

    @contextmanager
    def _legible(self) -> Iterator[None]:
        """Convert failures of reading to UserError: the stored data is not what an episode consists of, sealed or
        not."""
        try:
            yield
        # A KeyError too, which would be taken for a fault of the file below.
        except NoEpisodeError:
            raise
        except sqlite3.Error as error:
            raise full(self.path, error) or UserError(f"{self.path} is damaged: {why(error)}") from None
        # An untrusted file can have anything in any column; exceptions from it are faults of the file.
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
            raise UserError(f"{self.path} holds what stressweb does not record: {_reason(error)}") from None

    def _unaltered_rows(self, key: str) -> Stored:
        """Return the rows of an episode; raises AlteredError if its seal does not fit."""
        with reading(self._connection):
            stored = sealing.stored(self._connection, key)
        ((recorded_seal,),) = stored["episode"].of("seal")
        if recorded_seal != sealing.seal_of(stored):
            raise self._refusal(key, "its seal does not fit")
        return stored

    def _refusal(self, key: str, misfit: str) -> AlteredError:
        error = AlteredError(f"episode {key} of {self.path} was changed after it was recorded: {misfit}")
        error.misfit = misfit
        return error

    def _misfit(self, key: str, *, contents: bool) -> str:
        """Return the mismatch of an episode; "" if there is none."""
        try:
            stored = self._unaltered_rows(key)
            for digest in self._pages.contents(stored) if contents else ():
                self._blobs.get(digest)
        except AlteredError as error:
            return error.misfit or str(error)
        return ""

    def ledger(self, cell: Cell) -> list[Entry]:
        """Return the ledger of an episode."""
        with self._legible():
            rows = self._connection.execute("SELECT entry FROM ledger WHERE cell = ? ORDER BY n", (cell.key,))
            return [Entry.model_validate_json(entry) for (entry,) in rows]

    def trajectory(self, cell: Cell) -> list[BareStep]:
        """Return the steps of an episode without their pages; step 0 is the first page and has no action."""
        with self._legible():
            steps = sealing.stored(self._connection, cell.key)["step"]
            return self._pages.trajectory(steps, step_actions_in(steps))

    def steps(self, details: EpisodeDetails) -> list[BareStep]:
        """Return the steps of an episode from its details, as `trajectory` does."""
        with self._legible():
            return self._pages.trajectory(details.stored["step"], details.step_actions)

    def content(self) -> dict[str, dict[str, Any]]:
        """Return what two runs of one plan must agree on, by key of the cell: everything but times."""
        return {episode.cell.key: self._content(episode) for episode in self.episodes()}

    def _content(self, episode: Episode) -> dict[str, Any]:
        record = self.load(episode.cell)
        return {
            "status": record.status,
            "claim": record.claim,
            "grade": record.grade,
            "final": record.final,
            "ledger": [entry.model_dump() for entry in record.ledger],
            "steps": [(step.action, step.outcome, replace(step.page, screenshot=None)) for step in record.steps],
            "closings": {path: (page.url, page.html) for path, page in record.closings.items()},
        }


def _reason(error: Exception) -> str:
    """Return the problem with a stored value, in one short line."""
    if not isinstance(error, ValidationError):
        return first_line(error)[:300]
    return f"{error.title[:40]}: {first(error)[:300]}"
