"""Where files and folders lie, and what may lie beside what."""

from collections.abc import Iterable

from sites.kit import RefusedError
from sites.kit.visit import Visit
from stressweb.core.entity import Entity


def path(visit: Visit, trail: Iterable[Entity]) -> str:
    """Return the way to a folder in words, from the top down."""
    return " > ".join(row.name for row in trail) or visit.say("link_home")


def place(visit: Visit, key: str) -> str:
    """Return the key of a folder that something can be put into."""
    row = visit.store.one("Folder", key) if key else None
    # A form can send any key, and the folder may have gone meanwhile.
    if key and (row is None or row.trashed):
        raise RefusedError("error_choice")
    return key


def refuse_namesake(visit: Visit, entity: str, column: str, place: str, name: str, field: str, own: str = "") -> None:
    """Refuse a name that something else in the same place bears; the field is the one that says it."""
    rows = visit.store.where(entity, {column: place, "trashed": ""})
    if any(row.name.casefold() == name.casefold() for row in rows if row.id != own):
        raise RefusedError("error_unique", field)


def ticked(visit: Visit) -> list[Entity]:
    """Return the files that are ticked; refuse a form in which none is."""
    rows: list[Entity] = visit.values["files"]
    if not rows:
        raise RefusedError("error_none")
    return rows
