"""Rows that lie in each other, such as folders: what lies above one, and what lies below it."""

from collections.abc import Iterable, Iterator

from stressweb.core.entity import Entity


def above(rows: Iterable[Entity], key: str, parent: str = "parent") -> list[Entity]:
    """Return the rows from the top down to the one of a key, which is the last; none if there is no such row."""
    by_key, trail = {row.id: row for row in rows}, list[Entity]()
    # A circle would go on without end; whoever moves a row has to refuse one, and this must not depend on it.
    while key in by_key and by_key[key] not in trail:
        trail.insert(0, by_key[key])
        key = by_key[key][parent]
    return trail


def below(rows: Iterable[Entity], key: str, parent: str = "parent") -> Iterator[Entity]:
    """Yield every row that lies below the one of a key, at any depth."""
    rest = list(rows)
    for row in [child for child in rest if child[parent] == key]:
        yield row
        yield from below([remaining for remaining in rest if remaining is not row], row.id, parent)
