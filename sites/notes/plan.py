"""How a world's workspaces, folders and documents come about, and what belongs to them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

from sites.kit import Drawing, moment, slug
from sites.kit.data.phrases import LazyWords, past, phrase, times
from sites.kit.logic.nesting import above
from sites.kit.mixins.people.logic import cast
from sites.kit.wording import markup
from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.core.yaml_models import load

ME = "me"
"""Key of the person whose notebook it is."""
_WORKSPACES, _COLLEAGUES, _TEMPLATES = 5, 7, 6
_AGES = ((1, 7), (9, 29), (33, 340), (375, 700))
"""Days since a document was changed, least and most; none lies near the end of a week, a month or a year."""
_WEIGHTS = (0.2, 0.48, 0.85, 1.0)
"""Up to which draw each of these ages goes."""
_PRIVACY = ("privacy_private", "privacy_members", "privacy_public")
_PERMISSIONS = ("may_view", "may_comment", "may_edit")
_ENDS = (-120, -47, -31, -12, -5, -2, 4, 11, 25, 52, 90)
"""Days from today on which a link ends, or ended."""
_PINNED, _ARCHIVED, _DELETED, _LONG, _MINE = 0.08, 0.06, 0.09, 0.03, 0.45
_LINKED, _COMMENTED, _VERSIONED = 0.22, 0.35, 0.22
_ATTEMPTS = 99

type Values = dict[str, Any]
type Topic = tuple[str, tuple[Any, ...]]
"""What a text is about: the purpose of its workspace, and the key by which its event, place and town are drawn."""


@cache
def papers() -> Mapping[str, Any]:
    """Return what the notebook is about."""
    return _corpus("papers")


@cache
def requests() -> Mapping[str, Any]:
    """Return what goals ask people to write."""
    return _corpus("requests")


@cache
def _purposes() -> Mapping[str, Values]:
    return {row["name"]: row for row in papers()["purposes"]}


def _corpus(name: str) -> Mapping[str, Any]:
    texts: Mapping[str, Any] = load(Path(__file__).with_name("corpora") / f"{name}.yaml")
    return texts


def said(drawing: Drawing, template: str, topic: Topic, *key: Any) -> str:
    """Return a template with words of the world in the place of its letters; those of the topic stay the same in it."""
    purpose, subject = topic
    lists = {**papers()["words"], **_purposes()[purpose]}
    # A text keeps to the event, the place, the town, the things and the month that it is about.
    about = LazyWords(drawing, subject, lists, **times(drawing, *subject, first=8, hours=12))
    fixed: dict[str, Callable[[], Any]] = {
        name: partial(about.__getitem__, name) for name in ("a", "b", "c", "d", "e", "month")
    }
    free: dict[str, Callable[[], Any]] = {
        "n": lambda: 3 + int(drawing.unit(*key, "n") * 56),
        "p": lambda: drawing.shuffled(drawing.made["Person"], *key, "p")[0].name.split()[0],
        **times(drawing, *key, first=8, hours=12),
    }
    return phrase(template, LazyWords(drawing, key, lists, **{**free, **fixed}))


def people(drawing: Drawing) -> Iterator[Values]:
    """Yield whose notebook it is, and who else writes in it, each of a first name of their own."""
    first, *others = cast(drawing)
    chosen = {row["name"].split()[0]: row for row in reversed(drawing.shuffled(others, "colleagues"))}
    chosen.pop(first["name"].split()[0], None)
    for row in (first, *[*chosen.values()][::-1][:_COLLEAGUES]):
        key = ME if row is first else slug(row["name"])
        yield {"id": key, "name": row["name"], "email": row["id"], "job": row["job"]}


def folders(drawing: Drawing) -> Iterator[Values]:
    """Yield every workspace with its folders and what lies in those; a few folders lie in the trash."""
    names = [f"{one} {two} " for one in papers()["firsts"] for two in papers()["seconds"]]
    places, purposes = drawing.shuffled(names, "places"), drawing.shuffled([*_purposes()], "purposes")
    for number, name in enumerate(sorted(map(str.__add__, places[:_WORKSPACES], purposes))):
        topic = (_purpose(name), ("about", name))
        about = said(drawing, drawing.pick(papers()["abouts"], "about", name), topic, "about", name)
        privacy = drawing.pick(_PRIVACY, "privacy", name)
        workspace = _folder(drawing, name, "", privacy=privacy, about=about)
        yield workspace
        inside = drawing.shuffled([*papers()["folders"]], "folders", name)
        for section in inside[: 3 + int(drawing.unit("folders in", name) * 2)]:
            folder = _folder(drawing, section, workspace["id"])
            yield folder
            below = drawing.shuffled(papers()["subfolders"], "subfolders", folder["id"])
            for part in below[: int(drawing.unit("in", folder["id"]) * 3)]:
                yield _folder(drawing, part, folder["id"])
        if number % 2:
            title = drawing.pick(("Old drafts", "Duplicates", "Old photos", "Unsorted"), "old folder", name)
            old = _folder(drawing, title, workspace["id"])
            yield {**old, "trashed": past(drawing, 2 + 20 * drawing.unit("old", name))}


def _purpose(workspace: str) -> str:
    return next(name for name in _purposes() if workspace.endswith(f" {name}"))


def _folder(drawing: Drawing, name: str, parent: str, privacy: str = "", about: str = "") -> Values:
    # The name alone would give every folder of the same name the same key.
    key = slug(f"{parent} {name}" if parent else name)
    created = past(drawing, 800 + 300 * drawing.unit(key))
    return {
        "id": key,
        "name": name,
        "parent": parent,
        "privacy": privacy,
        "about": about,
        "created": created,
        "trashed": "",
    }


class _Taken:
    """Gives titles and moments, none of them twice."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.titles, self.days, self.stamps = drawing, set[str](), set[str](), set[str]()

    def title(self, kind: Values, purpose: str, *key: Any) -> tuple[str, Topic]:
        """Return a title, and what the text that belongs to it is about."""
        for attempt in range(_ATTEMPTS):
            at = (*key, "title", attempt)
            title = said(self.drawing, self.drawing.pick(kind["titles"], *at), (purpose, at), *at)
            if self.drawing.unit(*at, "long") < _LONG:
                end = said(self.drawing, self.drawing.pick(papers()["long"], *at), (purpose, at), *at, "end")
                title = f"{title}, {end[0].lower()}{end[1:]}"
            if slug(title) not in self.titles:
                self.titles.add(slug(title))
                return title, (purpose, at)
        raise UserError(f"notes: no title left for {kind['id']} in {_ATTEMPTS} draws")

    def changed(self, *key: Any) -> float:
        unit = self.drawing.unit(*key, "age")
        low, high = _AGES[next(at for at, upto in enumerate(_WEIGHTS) if unit < upto)]
        for attempt in range(_ATTEMPTS):
            age = low + (high - low) * self.drawing.unit(*key, "day", attempt)
            # By the minute, which is what lists show.
            if (minute := past(self.drawing, age)[:16]) not in self.days:
                break
        self.days.add(minute)
        return age

    def deleted(self, age: float) -> str:
        while (stamp := past(self.drawing, age)) in self.stamps:
            age += 1.5 / 720
        self.stamps.add(stamp)
        return stamp


def documents(drawing: Drawing) -> Iterator[Values]:
    """Yield every document: some in each workspace, more in its folders."""
    taken, places = _Taken(drawing), {one.id: one for one in drawing.made["Folder"]}
    writers = [one.id for one in drawing.made["Person"] if one.id != ME]
    for place in places.values():
        trail = above(drawing.made["Folder"], place.id)
        for number in range(_count(drawing, place, places)):
            key = ("document", place.id, number)
            kind = _kind(drawing, trail, number)
            (name, topic), age = taken.title(kind, _purpose(trail[0].name), *key), taken.changed(*key)
            deleted = not place.trashed and drawing.unit(*key, "deleted") < _DELETED
            stamp = taken.deleted(min(age, 1 + 27 * drawing.unit(*key, "when"))) if deleted else place.trashed
            unit = drawing.unit(*key, "mark")
            sections = 4 if drawing.unit(*key, "versions") < _VERSIONED else 2 + int(drawing.unit(*key, "long") * 2)
            parts = list(_parts(drawing, kind, sections, topic, *key))
            body = "\n\n".join(parts)
            yield {
                "id": slug(name),
                "name": name,
                "folder": place.id,
                "author": ME if drawing.unit(*key, "mine") < _MINE else drawing.pick(writers, *key, "author"),
                "body": body,
                "words": count(body),
                "created": past(drawing, age + 40 + 300 * drawing.unit(*key, "created")),
                "changed": past(drawing, age),
                "pinned": int(unit < _PINNED and not stamp),
                "archived": int(unit > 1 - _ARCHIVED and age > 60 and not stamp),
                "trashed": stamp,
                "parts": parts,
                "topic": topic,
            }


def _count(drawing: Drawing, place: Entity, places: Mapping[str, Entity]) -> int:
    depth = 1 if not place.parent else 2 if not places[place.parent].parent else 3
    low, high = {1: (1, 2), 2: (4, 7), 3: (3, 5)}[depth]
    return low + int(drawing.unit("documents in", place.id) * (high - low + 1))


def _kind(drawing: Drawing, trail: Sequence[Entity], number: int) -> Values:
    kinds = {row["id"]: row for row in papers()["kinds"]}
    # Most documents of a folder are of the kinds that its name promises, and so are those of the folders in it.
    common = [kinds[name] for row in trail[1:2] for name in papers()["folders"].get(row.name, ())]
    kind: Values = drawing.pick([*common * 4, *kinds.values()], "kind", trail[-1].id, number)
    return kind


def count(body: str) -> int:
    """Return how many words a text has, markup left out."""
    return len(markup.plain(body).split())


def _parts(drawing: Drawing, kind: Values, sections: int, topic: Topic, *key: Any) -> Iterator[str]:
    """Yield the beginning of a document, and its sections, in the order of the kind."""
    first, second = _sentences(drawing, kind["lines"], 2, topic, *key)
    yield f"**{first}** {second}" if drawing.unit(*key, "bold") < 0.5 else f"{first} {second}"
    chosen = [row["head"] for row in drawing.shuffled(kind["sections"], *key, "heads")[:sections]]
    for number, section in enumerate(row for row in kind["sections"] if row["head"] in chosen):
        many = 1 + int(drawing.unit(*key, "sentences", number) * 2)
        paragraph = " ".join(_sentences(drawing, section["lines"], many, topic, *key, "lines", number))
        items = section["items"] if number in (0, 2) else []
        bullets = _sentences(drawing, items, 2 + (number == 0), topic, *key, "items", number)
        listed = ["\n".join(f"- {text}" for text in bullets)] if bullets else []
        yield "\n\n".join([f"# {section['head']}", paragraph, *listed])


def _sentences(drawing: Drawing, texts: Sequence[str], many: int, topic: Topic, *key: Any) -> list[str]:
    chosen = drawing.shuffled(texts, *key)[:many]
    return [said(drawing, text, topic, *key, number) for number, text in enumerate(texts) if text in chosen]


def templates(drawing: Drawing) -> Iterator[Values]:
    """Yield the templates."""
    for row in drawing.shuffled(papers()["templates"], "templates")[:_TEMPLATES]:
        yield {"id": slug(row["name"]), **row}


def taggings(drawing: Drawing) -> Iterator[Values]:
    """Yield the tags of the documents: most have one or two, some none."""
    names = [one.id for one in drawing.made["Tag"]]
    for one in drawing.made["Document"]:
        many = drawing.pick((0, 0, 1, 1, 1, 2, 3), "tags", one.id)
        for tag in drawing.shuffled(names, "tags", one.id)[:many]:
            yield {"id": f"{one.id}/{tag}", "document": one.id, "tag": tag}


def links(drawing: Drawing) -> Iterator[Values]:
    """Yield the links by which documents are shared, for whom each is, and until when."""
    # People who do not write here themselves.
    who, at = [Entity(row) for row in cast(drawing)[20:]], 0
    for one in drawing.made["Document"]:
        if one.trashed or drawing.unit("shared", one.id) >= _LINKED:
            continue
        names = drawing.shuffled(papers()["links"], "links", one.id)
        for number, name in enumerate(names[: 1 + int(drawing.unit("links", one.id) * 5)]):
            key = ("link", one.id, number)
            day = drawing.start + timedelta(days=drawing.pick(_ENDS, *key, "ends"))
            told = name.format(who=who[at % len(who)].name)
            at += 1
            yield {
                "id": f"{one.id}-link-{number + 1}",
                "document": one.id,
                "name": told,
                "permission": drawing.pick(_PERMISSIONS, *key, "may"),
                "expires": "" if drawing.unit(*key, "end") < 0.35 else day.date().isoformat(),
            }


def comments(drawing: Drawing) -> Iterator[Values]:
    """Yield what people say about documents, in the order of time."""
    writers = [one.id for one in drawing.made["Person"] if one.id != ME]
    for one in drawing.made["Document"]:
        if drawing.unit("commented", one.id) >= _COMMENTED:
            continue
        # Two people say most about a document.
        said_by = drawing.shuffled(writers, "said by", one.id)[:3]
        texts = drawing.shuffled(papers()["comments"], "comments", one.id)
        for number, text in enumerate(texts[: 1 + int(drawing.unit("comments", one.id) * 6)]):
            key = ("comment", one.id, number)
            ago = timedelta(days=7 - number, minutes=int(drawing.unit(*key, "gap") * 100))
            yield {
                "id": f"{one.id}-{number + 1}",
                "document": one.id,
                "author": drawing.pick([said_by[0], *said_by], *key, "author"),
                "at": moment(datetime.fromisoformat(one.changed) - ago),
                "text": said(drawing, text, one.topic, *key),
                "resolved": int(drawing.unit(*key, "resolved") < 0.35),
            }


def versions(drawing: Drawing) -> Iterator[Values]:
    """Yield earlier texts of documents, and the latest one, which is the text of today."""
    writers = [one.id for one in drawing.made["Person"]]
    for one in drawing.made["Document"]:
        # Only long documents have them: each version has a section less than the next.
        if len(one.parts) < 5:
            continue
        total = 3 + int(drawing.unit("versions", one.id) * 2)
        notes = drawing.shuffled(papers()["notes"], "notes", one.id)
        for nth in range(1, total + 1):
            key = ("version", one.id, nth)
            back = total - nth
            age = timedelta(days=back * 3, minutes=int(drawing.unit(*key, "gap") * 120) if back else 0)
            body = "\n\n".join(one.parts[: len(one.parts) - back])
            yield {
                "id": f"{one.id}-{nth}",
                "document": one.id,
                "name": said(drawing, notes[nth - 1], one.topic, *key),
                "author": drawing.pick(writers[:3], *key, "author"),
                "at": moment(datetime.fromisoformat(one.changed) - age),
                "body": body,
            }
