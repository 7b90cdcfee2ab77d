"""A trash for folders and what lies in them: what goes there with its folder comes back with it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from stressweb.core.entity import Entity
from stressweb.sites.kit.logic.folders import FOLDER, path, refuse_namesake
from stressweb.sites.kit.logic.nesting import above, below
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit

type Columns = Mapping[str, str]


@dataclass(frozen=True)
class Trash:
    """What the trash takes, lists, gives back, and deletes for good; `logic/folders.py` says what rows it needs."""

    leaf: str
    """Entity of what lies in folders."""
    attached: Mapping[str, Columns] = field(default_factory=dict)
    """Of each of the two entities, what goes with a row that is deleted for good: entity, and column of its key."""
    loose: bool = True
    """Whether something can lie in no folder, so that it goes there if its folder is gone."""

    def leaves(self, visit: Visit) -> list[Entity]:
        """Return what lies in the trash by itself, with the `path` of its folder; the latest first."""
        gone = {row.id: row.trashed for row in visit.store.where(FOLDER, {}) if row.trashed}
        rows, folders = visit.store.where(self.leaf, {}), visit.store.where(FOLDER, {})
        leaves = [row for row in rows if row.trashed and gone.get(row.folder) != row.trashed]
        return _latest([Entity({**row, "path": path(visit, above(folders, row.folder))}) for row in leaves])

    def folders(self, visit: Visit) -> list[Entity]:
        """Return the folders that lie in the trash by themselves, the latest first."""
        rows = visit.store.where(FOLDER, {})
        gone = {row.id: row.trashed for row in rows if row.trashed}
        return _latest([row for row in rows if row.trashed and gone.get(row.parent) != row.trashed])

    def count(self, visit: Visit) -> int:
        """Return how many things the trash lists."""
        return len(self.leaves(visit)) + len(self.folders(visit))

    def put(self, visit: Visit, rows: Iterable[Entity]) -> int:
        """Put things into the trash that are not there yet; return how many."""
        fresh = [row for row in rows if not row.trashed]
        for row in fresh:
            visit.store.change(self.leaf, {"id": row.id}, {"trashed": visit.store.now})
        return len(fresh)

    def put_folder(self, visit: Visit, row: Entity) -> None:
        """Put a folder into the trash, with all that lies in it and is not there yet."""
        self.put(visit, self._contents(visit, row, ""))
        for folder in [row, *below(visit.store.where(FOLDER, {"trashed": ""}), row.id)]:
            visit.store.change(FOLDER, {"id": folder.id, "trashed": ""}, {"trashed": visit.store.now})

    def restore(self, visit: Visit, row: Entity) -> None:
        """Take something out of the trash; if its folder is still there, it goes to the top, or is refused."""
        self._restore(visit, self.leaf, row, "folder")

    def restore_folder(self, visit: Visit, row: Entity) -> None:
        """Take a folder out of the trash, with all that went there with it."""
        inside = list(below(visit.store.where(FOLDER, {"trashed": row.trashed}), row.id)) if row.trashed else []
        leaves = self._contents(visit, row, row.trashed) if row.trashed else []
        self._restore(visit, FOLDER, row, "parent")
        for entity, rows in ((FOLDER, inside), (self.leaf, leaves)):
            for trashed_row in rows:
                visit.store.change(entity, {"id": trashed_row.id}, {"trashed": ""})

    def undo(self, visit: Visit, moment: str) -> None:
        """Take out of the trash what was put there at a moment."""
        for entity in (FOLDER, self.leaf):
            visit.store.change(entity, {"trashed": moment}, {"trashed": ""})

    def purge(self, visit: Visit, row: Entity) -> None:
        """Delete something for good."""
        self._purge(visit, self.leaf, [row])

    def purge_folder(self, visit: Visit, row: Entity) -> None:
        """Delete a folder for good, with all that went to the trash with it."""
        self._purge(visit, self.leaf, self._contents(visit, row, row.trashed))
        inside = below(visit.store.where(FOLDER, {"trashed": row.trashed}), row.id)
        self._purge(visit, FOLDER, [*inside, row])

    def empty(self, visit: Visit) -> None:
        """Delete for good whatever lies in the trash."""
        for entity in (self.leaf, FOLDER):
            self._purge(visit, entity, [row for row in visit.store.where(entity, {}) if row.trashed])

    def _contents(self, visit: Visit, row: Entity, trashed: str) -> list[Entity]:
        """Return what lies in a folder, at any depth, and in the trash since a moment, or not at all."""
        inside = {row.id, *(folder.id for folder in below(visit.store.where(FOLDER, {"trashed": trashed}), row.id))}
        return [leaf for leaf in visit.store.where(self.leaf, {"trashed": trashed}) if leaf.folder in inside]

    def _restore(self, visit: Visit, entity: str, row: Entity, column: str) -> None:
        above_it = visit.store.one(FOLDER, row[column]) if row[column] else None
        place = row[column] if above_it is not None and not above_it.trashed else ""
        if place != row[column] and not self.loose:
            raise RefusedError("error_place_gone")
        refuse_namesake(visit, entity, column, place, row.name, "", row.id)
        visit.store.change(entity, {"id": row.id}, {"trashed": "", column: place})

    def _purge(self, visit: Visit, entity: str, rows: Iterable[Entity]) -> None:
        for row in rows:
            # Only what lies in the trash: the form of a page that was open for long may come late.
            if not row.trashed:
                raise RefusedError("error_allowed")
            visit.store.drop(entity, {"id": row.id})
            for attached, column in self.attached.get(entity, {}).items():
                visit.store.drop(attached, {column: row.id})


def _latest(rows: list[Entity]) -> list[Entity]:
    return sorted(rows, key=lambda row: row.trashed, reverse=True)
