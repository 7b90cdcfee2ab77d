"""Storage that files use: in total, by kind, by owner and by folder."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Visit
from stressweb.sites.kit.logic.nesting import path_to
from stressweb.sites.kit.wording.sizes import say

_QUOTA = 20_000_000
"""Storage limit in kilobytes."""


def storage(visit: Visit) -> Mapping[str, Any]:
    """Return the storage that files use: in total, by kind, by owner."""
    kinds, owners = Counter[str](), Counter[str]()
    for row in visit.store.where("File", {"trashed": ""}):
        kinds[row.kind] += row.size
        owners[row.owner] += row.size
    names = {person.id: person.name for person in visit.store.where("Person", {})}
    return {
        "used": say(_used(visit)),
        "binned": say(trash_size(visit)),
        "quota": say(_QUOTA),
        "kinds": [_bar(key, size, value=key.removeprefix("kind_")) for key, size in sorted(kinds.items())],
        "owners": [_bar(key, size, name=names[key]) for key, size in owners.most_common()],
    }


def storage_meter(visit: Visit) -> Mapping[str, Any]:
    """Return the used storage in words and in percent."""
    sentence = visit.say("storage_used", {"used": say(_used(visit)), "quota": say(_QUOTA)})
    return {"said": sentence, "percent": round(percent_used(visit))}


def percent_used(visit: Visit) -> float:
    """Return the used share of the storage in percent, at most 100."""
    return min(100, 100 * _used(visit) / _QUOTA)


def sizes_in_folders(visit: Visit, trashed: str) -> Counter[str]:
    """Return the total size of the files in each folder, at any depth, in kilobytes; `trashed` is that of the rows."""
    own_sizes, sizes = Counter[str](), Counter[str]()
    for row in visit.store.where("File", {"trashed": trashed}):
        own_sizes[row.folder] += row.size
    folders = visit.store.where("Folder", {})
    for key, size in own_sizes.items():
        sizes.update({folder.id: size for folder in path_to(folders, key)})
    return sizes


def trash_size(visit: Visit) -> int:
    """Return the size of all files in the trash, in kilobytes."""
    return _sum(visit, "WHERE trashed != ''")


def _used(visit: Visit) -> int:
    return _sum(visit)


def _sum(visit: Visit, condition: str = "") -> int:
    # The database computes the sum, because every page shows it.
    return int(visit.store.run(f"SELECT COALESCE(SUM(size), 0) AS size FROM file {condition}")[0].size)  # noqa: S608 - ours


def _bar(key: str, size: int, **more: str) -> Entity:
    return Entity(id=key, size=size, said=say(size), **more)
