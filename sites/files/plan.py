"""How a world's folders, files and shares come about."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from sites.kit import Drawing, slug
from sites.kit.data.phrases import past
from sites.kit.mixins.people.logic import cast
from sites.kit.wording.sizes import say
from stressweb.core.entity import Entity
from stressweb.core.yaml_models import load

ME = "me"
"""Key of the person whose files these are."""
_AREAS, _COLLEAGUES = 5, 8
_AGES = ((1, 7), (9, 29), (33, 340), (375, 880))
"""Days since a file was changed, least and most; none lies near the end of a week, a month or a year."""
_WEIGHTS = (0.16, 0.36, 0.8, 1.0)
"""Up to which draw each of these ages goes."""
_DELETED = 0.085
_STARRED, _REMARKED, _LONG, _MINE = 0.08, 0.3, 0.03, 0.55
_SHARED = 0.15
_ENDS = (-140, -61, -33, -20, -9, -3, 5, 12, 26, 47, 95, 180)
"""Days from today on which access ends, or ended."""
_PERMISSIONS = ("may_view", "may_comment", "may_edit")

type Values = dict[str, Any]


@cache
def papers() -> Mapping[str, Any]:
    """Return what folders and files are called."""
    texts: Mapping[str, Any] = load(Path(__file__).with_name("corpora") / "papers.yaml")
    return texts


def people(drawing: Drawing) -> Iterator[Values]:
    """Yield whose files these are, and some of the people of the world."""
    first, *others = cast(drawing)
    for row in (first, *drawing.shuffled(others, "colleagues")[:_COLLEAGUES]):
        yield {
            "id": ME if row is first else slug(row["name"]),
            "name": row["name"],
            "email": row["id"],
            "job": row["job"],
        }


def folders(drawing: Drawing) -> Iterator[Values]:
    """Yield every folder: areas, topics in them, sections in those; a few lie in the trash."""
    # Of two words each, so that worlds share few names, and the topics of one world some words.
    names = [f"{one} {two}" for one in papers()["firsts"] for two in papers()["seconds"]]
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
    # The name alone would give every section of the same name the same key.
    key = slug(f"{parent} {name}" if parent else name)
    return {
        "id": key,
        "name": name,
        "parent": parent,
        "created": past(drawing, 1200 + 300 * drawing.unit(key)),
        "trashed": "",
    }


class _Names:
    """Gives names and sizes, none of them twice."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.names, self.sizes = drawing, set[str](), set[str]()
        self.moments, self.stamps = set[str](), set[str]()

    def name(self, kind: str, topic: str, section: str, *key: Any) -> str:
        texts, ending = papers(), papers()["endings"][kind]
        nouns = texts["sections"].get(section, {}).get(kind, texts["nouns"][kind])
        for attempt in range(99):
            unit, at = self.drawing.unit(*key, "tail", attempt), (*key, attempt)
            noun = self.drawing.pick(nouns, *at, "noun")
            tail = "" if unit < 0.45 else f" {self.drawing.pick(texts['versions'][kind], *at, 'version')}"
            if unit > 1 - _LONG:
                tail = f" - {self.drawing.pick(texts['long'], *at, 'long')}"
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
        low, high = _AGES[next(at for at, upto in enumerate(_WEIGHTS) if unit < upto)]
        for attempt in range(99):
            age = low + (high - low) * self.drawing.unit(*key, "day", attempt)
            # By the day, which is what a list of files shows: of two, one was changed on a later day.
            if (day := past(self.drawing, age)[:16]) not in self.moments:
                break
        self.moments.add(day)
        return age

    def deleted(self, age: float) -> str:
        # No two files are deleted at the same minute, so that the trash shows which one was deleted first.
        while (stamp := past(self.drawing, age)) in self.stamps:
            age += 1.5 / 720
        self.stamps.add(stamp)
        return stamp


def files(drawing: Drawing) -> Iterator[Values]:
    """Yield every file: several in each section, a few in topics and areas, and three in no folder."""
    made, keys = _Names(drawing), set[str]()
    places = {one.id: one for one in drawing.made["Folder"]}
    people = [one.id for one in drawing.made["Person"] if one.id != ME]
    for place in (None, *places.values()):
        for number in range(_count(drawing, place, places)):
            kind, key = _kind(drawing, place, number), ("file", place.id if place else "", number)
            name = made.name(kind, _topic(drawing, place, places, number), place.name if place else "", *key)
            age, identity = made.changed(*key), slug(name)
            assert identity not in keys, "names differ in more than signs"
            keys.add(identity)
            mine = drawing.unit(*key, "mine") < _MINE
            deleted = place is not None and not place.trashed and drawing.unit(*key, "deleted") < _DELETED
            stamp = made.deleted(min(age, 1 + 27 * drawing.unit(*key, "when"))) if deleted else ""
            yield {
                "id": identity,
                "name": name,
                "kind": kind,
                "folder": place.id if place else "",
                "owner": ME if mine else drawing.pick(people, *key, "owner"),
                "size": made.size(kind, *key),
                "created": past(drawing, age + 1 + 300 * drawing.unit(*key, "created")),
                "changed": past(drawing, age),
                "starred": int(drawing.unit(*key, "starred") < _STARRED and not deleted),
                "trashed": place.trashed if place and place.trashed else stamp,
                "about": drawing.pick([*papers()["remarks"], *papers()["about"][kind]], *key, "about")
                if drawing.unit(*key, "remark") < _REMARKED
                else "",
                # What is in it is known of files that were uploaded.
                "digest": "",
                "text": "",
            }


def _count(drawing: Drawing, place: Entity | None, places: Mapping[str, Entity]) -> int:
    if place is None:
        return 3
    depth = 1 if not place.parent else 2 if not places[place.parent].parent else 3
    low, high = {1: (0, 2), 2: (2, 5), 3: (4, 8)}[depth]
    return low + int(drawing.unit("files in", place.id) * (high - low + 1))


def _kind(drawing: Drawing, place: Entity | None, number: int) -> str:
    kinds: list[str] = list(papers()["endings"])
    if place is None or not place.parent:
        return drawing.pick(kinds, "kind", place.id if place else "", number)
    # Two kinds are common in a folder, so that there are several of one kind to tell apart.
    common: list[str] = [*papers()["sections"].get(place.name, ())] or drawing.shuffled(kinds, "kinds", place.id)[:2]
    return drawing.pick([*common, *common, *common, *kinds[:6]], "kind", place.id, number)


def _topic(drawing: Drawing, place: Entity | None, places: Mapping[str, Entity], number: int) -> str:
    if place is None or not place.parent:
        words = (
            str(drawing.pick(papers()[part], part, place.id if place else "", number)) for part in ("firsts", "seconds")
        )
        return " ".join(words)
    parent = places[place.parent]
    return str(place.name if not parent.parent else parent.name)


def shares(drawing: Drawing) -> Iterator[Values]:
    """Yield who else may use which file or folder, how, and until when."""
    people = [one.id for one in drawing.made["Person"] if one.id != ME]
    shared = [("file", one.id, one.owner) for one in drawing.made["File"] if not one.trashed]
    shared += [("folder", one.id, ME) for one in drawing.made["Folder"] if not one.trashed]
    for what, key, owner in shared:
        if drawing.unit("shared", what, key) < _SHARED:
            others = [one for one in drawing.shuffled(people, "with", what, key) if one != owner]
            yield from _shares(drawing, what, key, others[: 1 + int(drawing.unit("how many", key) * 5)])


def _shares(drawing: Drawing, what: str, key: str, people: Sequence[str]) -> Iterator[Values]:
    for number, person in enumerate(people):
        unit = drawing.unit("ends", what, key, number)
        day = drawing.start + timedelta(days=drawing.pick(_ENDS, "day", what, key, number))
        yield {
            "id": f"{what}-{key}-{person}",
            "file": key if what == "file" else "",
            "folder": key if what == "folder" else "",
            "person": person,
            "permission": drawing.pick(_PERMISSIONS, "may", what, key, number),
            "expires": "" if unit < 0.4 else day.date().isoformat(),
        }
