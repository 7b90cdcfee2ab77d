"""Generates a world's folders, files and shares."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.yaml_models import load
from stressweb.sites.kit import Drawing, slug
from stressweb.sites.kit.data.phrases import past
from stressweb.sites.kit.mixins.people.logic import cast
from stressweb.sites.kit.wording.sizes import say

ME = "me"
"""Key of the person whose files these are."""
_AREAS, _COLLEAGUES = 5, 8
_AGES = ((1, 7), (9, 29), (33, 340), (375, 880))
"""Ranges of days since a file was changed; they avoid the boundaries of weeks, months and years."""
_WEIGHTS = (0.16, 0.36, 0.8, 1.0)
"""Cumulative probability of each range."""
_DELETED = 0.085
_STARRED, _REMARKED, _LONG, _MINE = 0.08, 0.3, 0.03, 0.55
_SHARED = 0.15
_ENDS = (-140, -61, -33, -20, -9, -3, 5, 12, 26, 47, 95, 180)
"""Days from today to the end of access; negative if it has ended."""
_PERMISSIONS = ("may_view", "may_comment", "may_edit")

type Values = dict[str, Any]


@cache
def papers() -> Mapping[str, Any]:
    """Return the corpus of folders and files."""
    texts: Mapping[str, Any] = load(Path(__file__).with_name("corpora") / "papers.yaml")
    return texts


def people(drawing: Drawing) -> Iterator[Values]:
    """Yield the owner of the files and some colleagues."""
    first, *others = cast(drawing)
    for row in (first, *drawing.shuffled(others, "colleagues")[:_COLLEAGUES]):
        yield {
            "id": ME if row is first else slug(row["name"]),
            "name": row["name"],
            "email": row["id"],
            "job": row["job"],
        }


def folders(drawing: Drawing) -> Iterator[Values]:
    """Yield every folder: areas, topics in them, sections in those; a few are in the trash."""
    # Two words each: worlds share few names, and topics of a world share some words.
    names = [f"{first} {second}" for first in papers()["firsts"] for second in papers()["seconds"]]
    topics = iter(drawing.shuffled(names, "topics"))
    for name in sorted(drawing.shuffled(papers()["areas"], "areas")[:_AREAS]):
        yield (area := _folder(drawing, name, ""))
        for number in range(2 + int(drawing.unit("topics of", name) * 2)):
            topic = _folder(drawing, next(topics), area["id"])
            yield topic
            sections = drawing.shuffled([*papers()["sections"]], "sections", topic["id"])
            for section in sections[: 2 + int(drawing.unit("sections of", topic["id"]) * 2)]:
                yield _folder(drawing, section, topic["id"])
            if number == 0:
                old = _folder(drawing, f"{topic['name']} {sections[5].lower()} (old)", topic["id"])
                yield {**old, "trashed": past(drawing, 2 + 20 * drawing.unit("old", topic["id"]))}


def _folder(drawing: Drawing, name: str, parent: str) -> Values:
    # Sections in different topics may have the same name.
    key = slug(f"{parent} {name}" if parent else name)
    return {
        "id": key,
        "name": name,
        "parent": parent,
        "created": past(drawing, 1200 + 300 * drawing.unit(key)),
        "trashed": "",
    }


class _UniqueDraws:
    """Draws names, sizes and moments without repeats."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.names, self.sizes = drawing, set[str](), set[str]()
        self.moments, self.stamps = set[str](), set[str]()

    def name(self, kind: str, topic: str, section: str, *key: Any) -> str:
        texts, ending = papers(), papers()["endings"][kind]
        nouns = texts["sections"].get(section, {}).get(kind, texts["nouns"][kind])
        for attempt in range(99):
            unit, draw_key = self.drawing.unit(*key, "tail", attempt), (*key, attempt)
            noun = self.drawing.pick(nouns, *draw_key, "noun")
            tail = "" if unit < 0.45 else f" {self.drawing.pick(texts['versions'][kind], *draw_key, 'version')}"
            if unit > 1 - _LONG:
                tail = f" - {self.drawing.pick(texts['long'], *draw_key, 'long')}"
            name = f"{topic} {noun}{tail}.{ending}"
            if name not in self.names:
                break
        self.names.add(name)
        return name

    def size(self, kind: str, *key: Any) -> int:
        low, high = papers()["sizes"][kind]
        for attempt in range(99):
            # Most files are small and a few are very large.
            size = int(low * (high / low) ** self.drawing.unit(*key, "size", attempt))
            if say(size) not in self.sizes:
                break
        self.sizes.add(say(size))
        return size

    def changed(self, *key: Any) -> float:
        unit = self.drawing.unit(*key, "age")
        low, high = _AGES[next(index for index, limit in enumerate(_WEIGHTS) if unit < limit)]
        for attempt in range(99):
            age = low + (high - low) * self.drawing.unit(*key, "day", attempt)
            # Unique to the minute, so that lists have one order.
            if (minute := past(self.drawing, age)[:16]) not in self.moments:
                break
        self.moments.add(minute)
        return age

    def deleted(self, age: float) -> str:
        # No two files are deleted at the same minute, so that the trash shows which one was deleted first.
        while (stamp := past(self.drawing, age)) in self.stamps:
            age += 1.5 / 720
        self.stamps.add(stamp)
        return stamp


def files(drawing: Drawing) -> Iterator[Values]:
    """Yield every file: several in each section, a few in topics and areas, and three in no folder."""
    unique, keys = _UniqueDraws(drawing), set[str]()
    folders_by_id = {folder.id: folder for folder in drawing.made["Folder"]}
    people = [person.id for person in drawing.made["Person"] if person.id != ME]
    for folder in (None, *folders_by_id.values()):
        for number in range(_count(drawing, folder, folders_by_id)):
            kind, key = _kind(drawing, folder, number), ("file", folder.id if folder else "", number)
            name = unique.name(
                kind, _topic(drawing, folder, folders_by_id, number), folder.name if folder else "", *key
            )
            age, identity = unique.changed(*key), slug(name)
            assert identity not in keys, "names differ in more than punctuation"
            keys.add(identity)
            is_mine = drawing.unit(*key, "mine") < _MINE
            deleted = folder is not None and not folder.trashed and drawing.unit(*key, "deleted") < _DELETED
            stamp = unique.deleted(min(age, 1 + 27 * drawing.unit(*key, "when"))) if deleted else ""
            yield {
                "id": identity,
                "name": name,
                "kind": kind,
                "folder": folder.id if folder else "",
                "owner": ME if is_mine else drawing.pick(people, *key, "owner"),
                "size": unique.size(kind, *key),
                "created": past(drawing, age + 1 + 300 * drawing.unit(*key, "created")),
                "changed": past(drawing, age),
                "starred": int(drawing.unit(*key, "starred") < _STARRED and not deleted),
                "trashed": folder.trashed if folder and folder.trashed else stamp,
                "about": drawing.pick([*papers()["remarks"], *papers()["about"][kind]], *key, "about")
                if drawing.unit(*key, "remark") < _REMARKED
                else "",
                # Only uploaded files have known contents.
                "digest": "",
                "text": "",
            }


def _count(drawing: Drawing, folder: Entity | None, folders_by_id: Mapping[str, Entity]) -> int:
    if folder is None:
        return 3
    depth = 1 if not folder.parent else 2 if not folders_by_id[folder.parent].parent else 3
    low, high = {1: (0, 2), 2: (2, 5), 3: (4, 8)}[depth]
    return low + int(drawing.unit("files in", folder.id) * (high - low + 1))


def _kind(drawing: Drawing, folder: Entity | None, number: int) -> str:
    kinds: list[str] = list(papers()["endings"])
    if folder is None or not folder.parent:
        return drawing.pick(kinds, "kind", folder.id if folder else "", number)
    # Two kinds are common in a folder, so that there are several of one kind to tell apart.
    common: list[str] = [*papers()["sections"].get(folder.name, ())] or drawing.shuffled(kinds, "kinds", folder.id)[:2]
    return drawing.pick([*common, *common, *common, *kinds[:6]], "kind", folder.id, number)


def _topic(drawing: Drawing, folder: Entity | None, folders_by_id: Mapping[str, Entity], number: int) -> str:
    if folder is None or not folder.parent:
        words = (
            str(drawing.pick(papers()[part], part, folder.id if folder else "", number))
            for part in ("firsts", "seconds")
        )
        return " ".join(words)
    parent = folders_by_id[folder.parent]
    return str(folder.name if not parent.parent else parent.name)


def shares(drawing: Drawing) -> Iterator[Values]:
    """Yield who else has access to which file or folder, with which permission, and until when."""
    people = [person.id for person in drawing.made["Person"] if person.id != ME]
    shared = [("file", file.id, file.owner) for file in drawing.made["File"] if not file.trashed]
    shared += [("folder", folder.id, ME) for folder in drawing.made["Folder"] if not folder.trashed]
    for kind, key, owner in shared:
        if drawing.unit("shared", kind, key) < _SHARED:
            others = [person for person in drawing.shuffled(people, "with", kind, key) if person != owner]
            yield from _shares(drawing, kind, key, others[: 1 + int(drawing.unit("how many", key) * 5)])


def _shares(drawing: Drawing, kind: str, key: str, people: Sequence[str]) -> Iterator[Values]:
    for number, person in enumerate(people):
        unit = drawing.unit("ends", kind, key, number)
        day = drawing.start + timedelta(days=drawing.pick(_ENDS, "day", kind, key, number))
        yield {
            "id": f"{kind}-{key}-{person}",
            "file": key if kind == "file" else "",
            "folder": key if kind == "folder" else "",
            "person": person,
            "permission": drawing.pick(_PERMISSIONS, "may", kind, key, number),
            "expires": "" if unit < 0.4 else day.date().isoformat(),
        }
