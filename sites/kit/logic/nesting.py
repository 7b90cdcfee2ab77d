"""Nested rows, such as folders: the rows above a row, and those below it."""

from collections.abc import Iterable, Iterator

from stressweb.core.entity import Entity


def path_to(rows: Iterable[Entity], key: str, parent: str = "parent") -> list[Entity]:
    """Return the rows from the top down to the row with this key; an empty list if there is no such row."""
    by_key, path = {row.id: row for row in rows}, list[Entity]()
    # Stop at a cycle. Code that moves rows has to prevent cycles, but this must end even if it does not.
    while key in by_key and by_key[key] not in path:
        path.insert(0, by_key[key])
        key = by_key[key][parent]
    return path


def descendants(rows: Iterable[Entity], key: str, parent: str = "parent") -> Iterator[Entity]:
    """Yield every row below the row with this key, at any depth."""
    rest = list(rows)
    for row in [child for child in rest if child[parent] == key]:
        yield row
        yield from descendants([remaining for remaining in rest if remaining is not row], row.id, parent)
