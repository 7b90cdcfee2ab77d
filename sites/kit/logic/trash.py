"""A trash for folders and the rows in them; restoring a folder restores the rows that were trashed with it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from stressweb.core.entity import Entity
from stressweb.sites.kit.logic.folders import FOLDER, path, refuse_namesake
from stressweb.sites.kit.logic.nesting import descendants, path_to
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit

type Columns = Mapping[str, str]


@dataclass(frozen=True)
class Trash:
    """Trashes, lists, restores and deletes folders and rows; `logic/folders.py` describes their columns."""

    leaf: str
    """Entity of the rows in folders."""
    attached: Mapping[str, Columns] = field(default_factory=dict)
    """By entity: the entities whose rows are deleted along with its rows, and their column with the row's key."""
    loose: bool = True
    """Whether rows can be outside of folders; a restored row is then put there if its folder is missing."""

    def leaves(self, visit: Visit) -> list[Entity]:
        """Return the rows that were trashed without their folder, the latest first, with the `path` of the folder."""
        trashed_at = {row.id: row.trashed for row in visit.store.where(FOLDER, {}) if row.trashed}
        rows, folders = visit.store.where(self.leaf, {}), visit.store.where(FOLDER, {})
        leaves = [row for row in rows if row.trashed and trashed_at.get(row.folder) != row.trashed]
        return _latest([Entity({**row, "path": path(visit, path_to(folders, row.folder))}) for row in leaves])

    def folders(self, visit: Visit) -> list[Entity]:
        """Return the folders that were trashed without the folder around them, the latest first."""
        rows = visit.store.where(FOLDER, {})
        trashed_at = {row.id: row.trashed for row in rows if row.trashed}
        return _latest([row for row in rows if row.trashed and trashed_at.get(row.parent) != row.trashed])

    def count(self, visit: Visit) -> int:
        """Return the number of rows and folders that the trash lists."""
        return len(self.leaves(visit)) + len(self.folders(visit))

    def put(self, visit: Visit, rows: Iterable[Entity]) -> int:
        """Put rows into the trash; return how many were not there yet."""
        untrashed = [row for row in rows if not row.trashed]
        for row in untrashed:
            visit.store.change(self.leaf, {"id": row.id}, {"trashed": visit.store.now})
        return len(untrashed)

    def put_folder(self, visit: Visit, row: Entity) -> None:
        """Put a folder into the trash, with all folders and rows in it that are not there yet."""
        self.put(visit, self._contents(visit, row, ""))
        for folder in [row, *descendants(visit.store.where(FOLDER, {"trashed": ""}), row.id)]:
            visit.store.change(FOLDER, {"id": folder.id, "trashed": ""}, {"trashed": visit.store.now})

    def restore(self, visit: Visit, row: Entity) -> None:
        """Take a row out of the trash. Without its folder, it goes to the top if rows can be there.

        Raises RefusedError if they cannot, and for a name that is taken.
        """
        self._restore(visit, self.leaf, row, "folder")

    def restore_folder(self, visit: Visit, row: Entity) -> None:
        """Take a folder out of the trash, with all folders and rows that were trashed with it."""
        subfolders = (
            list(descendants(visit.store.where(FOLDER, {"trashed": row.trashed}), row.id)) if row.trashed else []
        )
        leaves = self._contents(visit, row, row.trashed) if row.trashed else []
        self._restore(visit, FOLDER, row, "parent")
        for entity, rows in ((FOLDER, subfolders), (self.leaf, leaves)):
            for trashed_row in rows:
                visit.store.change(entity, {"id": trashed_row.id}, {"trashed": ""})

    def undo(self, visit: Visit, moment: str) -> None:
        """Take everything out of the trash that was put there at a moment."""
        for entity in (FOLDER, self.leaf):
            visit.store.change(entity, {"trashed": moment}, {"trashed": ""})

    def purge(self, visit: Visit, row: Entity) -> None:
        """Delete a row for good."""
        self._purge(visit, self.leaf, [row])

    def purge_folder(self, visit: Visit, row: Entity) -> None:
        """Delete a folder for good, with all folders and rows that were trashed with it."""
        self._purge(visit, self.leaf, self._contents(visit, row, row.trashed))
        subfolders = descendants(visit.store.where(FOLDER, {"trashed": row.trashed}), row.id)
        self._purge(visit, FOLDER, [*subfolders, row])

    def empty(self, visit: Visit) -> None:
        """Delete everything in the trash for good."""
        for entity in (self.leaf, FOLDER):
            self._purge(visit, entity, [row for row in visit.store.where(entity, {}) if row.trashed])

    def _contents(self, visit: Visit, row: Entity, trashed: str) -> list[Entity]:
        """Return the rows in a folder, at any depth, that were trashed at a moment; empty text: not trashed."""
        folder_ids = {
            row.id,
            *(folder.id for folder in descendants(visit.store.where(FOLDER, {"trashed": trashed}), row.id)),
        }
        return [leaf for leaf in visit.store.where(self.leaf, {"trashed": trashed}) if leaf.folder in folder_ids]

    def _restore(self, visit: Visit, entity: str, row: Entity, column: str) -> None:
        parent = visit.store.one(FOLDER, row[column]) if row[column] else None
        place = row[column] if parent is not None and not parent.trashed else ""
        if place != row[column] and not self.loose:
            raise RefusedError("error_place_gone")
        refuse_namesake(visit, entity, column, place, row.name, "", row.id)
        visit.store.change(entity, {"id": row.id}, {"trashed": "", column: place})

    def _purge(self, visit: Visit, entity: str, rows: Iterable[Entity]) -> None:
        for row in rows:
            # Delete only rows in the trash: the form may be on an old page, and the row restored since.
            if not row.trashed:
                raise RefusedError("error_allowed")
            visit.store.drop(entity, {"id": row.id})
            for attached, column in self.attached.get(entity, {}).items():
                visit.store.drop(attached, {column: row.id})


def _latest(rows: list[Entity]) -> list[Entity]:
    return sorted(rows, key=lambda row: row.trashed, reverse=True)
