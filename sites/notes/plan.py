"""Generates a world's workspaces, folders and documents, and what belongs to them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.core.yaml_models import load
from stressweb.sites.kit import Drawing, moment, slug
from stressweb.sites.kit.data.phrases import LazyWords, past, phrase, times
from stressweb.sites.kit.logic.nesting import above
from stressweb.sites.kit.mixins.people.logic import cast
from stressweb.sites.kit.wording import markup

ME = "me"
"""Key of the person whose notebook it is."""
_WORKSPACES, _COLLEAGUES, _TEMPLATES = 5, 7, 6
_AGES = ((1, 7), (9, 29), (33, 340), (375, 700))
"""Ranges of days since a document was changed; they avoid the boundaries of weeks, months and years."""
_WEIGHTS = (0.2, 0.48, 0.85, 1.0)
"""Cumulative probability of each range."""
_PRIVACY = ("privacy_private", "privacy_members", "privacy_public")
_PERMISSIONS = ("may_view", "may_comment", "may_edit")
_ENDS = (-120, -47, -31, -12, -5, -2, 4, 11, 25, 52, 90)
"""Days from today to a link's expiry; negative if it has expired."""
_PINNED, _ARCHIVED, _DELETED, _LONG, _MINE = 0.08, 0.06, 0.09, 0.03, 0.45
_LINKED, _COMMENTED, _VERSIONED = 0.22, 0.35, 0.22
_ATTEMPTS = 99

type Values = dict[str, Any]
type Topic = tuple[str, tuple[Any, ...]]
"""What a text is about: the purpose of its workspace, and the key by which its event, place and town are drawn."""


@cache
def papers() -> Mapping[str, Any]:
    """Return the corpus of the notebook's contents."""
    return _corpus("papers")


@cache
def requests() -> Mapping[str, Any]:
    """Return the texts that goals ask for."""
    return _corpus("requests")


@cache
def _purposes() -> Mapping[str, Values]:
    return {row["name"]: row for row in papers()["purposes"]}


def _corpus(name: str) -> Mapping[str, Any]:
    texts: Mapping[str, Any] = load(Path(__file__).with_name("corpora") / f"{name}.yaml")
    return texts


def fill_template(drawing: Drawing, template: str, topic: Topic, *key: Any) -> str:
    """Return a template filled with words of the world; the topic fixes some of them."""
    purpose, subject = topic
    lists = {**papers()["words"], **_purposes()[purpose]}
    # Event, place, town, things and month stay the same in all texts about a topic.
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
    """Yield the owner of the notebook and the other authors, all with different first names."""
    first, *others = cast(drawing)
    chosen = {row["name"].split()[0]: row for row in reversed(drawing.shuffled(others, "colleagues"))}
    chosen.pop(first["name"].split()[0], None)
    for row in (first, *[*chosen.values()][::-1][:_COLLEAGUES]):
        key = ME if row is first else slug(row["name"])
        yield {"id": key, "name": row["name"], "email": row["id"], "job": row["job"]}


def folders(drawing: Drawing) -> Iterator[Values]:
    """Yield every workspace with its folders and their subfolders; a few are in the trash."""
    names = [f"{first} {second} " for first in papers()["firsts"] for second in papers()["seconds"]]
    places, purposes = drawing.shuffled(names, "places"), drawing.shuffled([*_purposes()], "purposes")
    for number, name in enumerate(sorted(map(str.__add__, places[:_WORKSPACES], purposes))):
        topic = (_purpose(name), ("about", name))
        about = fill_template(drawing, drawing.pick(papers()["abouts"], "about", name), topic, "about", name)
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
    # Folders in different places may have the same name.
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


class _UniqueDraws:
    """Draws titles and moments without repeats."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.titles, self.days, self.stamps = drawing, set[str](), set[str](), set[str]()

    def title(self, kind: Values, purpose: str, *key: Any) -> tuple[str, Topic]:
        """Return a title and the topic of its text."""
        for attempt in range(_ATTEMPTS):
            draw_key = (*key, "title", attempt)
            title = fill_template(
                self.drawing, self.drawing.pick(kind["titles"], *draw_key), (purpose, draw_key), *draw_key
            )
            if self.drawing.unit(*draw_key, "long") < _LONG:
                end = fill_template(
                    self.drawing, self.drawing.pick(papers()["long"], *draw_key), (purpose, draw_key), *draw_key, "end"
                )
                title = f"{title}, {end[0].lower()}{end[1:]}"
            if slug(title) not in self.titles:
                self.titles.add(slug(title))
                return title, (purpose, draw_key)
        raise UserError(f"notes: no title left for {kind['id']} in {_ATTEMPTS} draws")

    def changed(self, *key: Any) -> float:
        unit = self.drawing.unit(*key, "age")
        low, high = _AGES[next(index for index, limit in enumerate(_WEIGHTS) if unit < limit)]
        for attempt in range(_ATTEMPTS):
            age = low + (high - low) * self.drawing.unit(*key, "day", attempt)
            # Unique to the minute, as lists show it.
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
    unique, folders_by_id = _UniqueDraws(drawing), {folder.id: folder for folder in drawing.made["Folder"]}
    writers = [person.id for person in drawing.made["Person"] if person.id != ME]
    for folder in folders_by_id.values():
        trail = above(drawing.made["Folder"], folder.id)
        for number in range(_count(drawing, folder, folders_by_id)):
            key = ("document", folder.id, number)
            kind = _kind(drawing, trail, number)
            (name, topic), age = unique.title(kind, _purpose(trail[0].name), *key), unique.changed(*key)
            deleted = not folder.trashed and drawing.unit(*key, "deleted") < _DELETED
            stamp = unique.deleted(min(age, 1 + 27 * drawing.unit(*key, "when"))) if deleted else folder.trashed
            unit = drawing.unit(*key, "mark")
            sections = 4 if drawing.unit(*key, "versions") < _VERSIONED else 2 + int(drawing.unit(*key, "long") * 2)
            parts = list(_parts(drawing, kind, sections, topic, *key))
            body = "\n\n".join(parts)
            yield {
                "id": slug(name),
                "name": name,
                "folder": folder.id,
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


def _count(drawing: Drawing, folder: Entity, folders_by_id: Mapping[str, Entity]) -> int:
    depth = 1 if not folder.parent else 2 if not folders_by_id[folder.parent].parent else 3
    low, high = {1: (1, 2), 2: (4, 7), 3: (3, 5)}[depth]
    return low + int(drawing.unit("documents in", folder.id) * (high - low + 1))


def _kind(drawing: Drawing, trail: Sequence[Entity], number: int) -> Values:
    kinds = {row["id"]: row for row in papers()["kinds"]}
    # Most documents in a folder and its subfolders are of the kinds that fit its name.
    common = [kinds[name] for row in trail[1:2] for name in papers()["folders"].get(row.name, ())]
    kind: Values = drawing.pick([*common * 4, *kinds.values()], "kind", trail[-1].id, number)
    return kind


def count(body: str) -> int:
    """Return the number of words in a text without its markup."""
    return len(markup.plain(body).split())


def _parts(drawing: Drawing, kind: Values, sections: int, topic: Topic, *key: Any) -> Iterator[str]:
    """Yield the introduction of a document, then its sections in the order of its kind."""
    first, second = _sentences(drawing, kind["lines"], 2, topic, *key)
    yield f"**{first}** {second}" if drawing.unit(*key, "bold") < 0.5 else f"{first} {second}"
    chosen = [row["head"] for row in drawing.shuffled(kind["sections"], *key, "heads")[:sections]]
    for number, section in enumerate(row for row in kind["sections"] if row["head"] in chosen):
        sentence_count = 1 + int(drawing.unit(*key, "sentences", number) * 2)
        paragraph = " ".join(_sentences(drawing, section["lines"], sentence_count, topic, *key, "lines", number))
        items = section["items"] if number in (0, 2) else []
        bullets = _sentences(drawing, items, 2 + (number == 0), topic, *key, "items", number)
        listed = ["\n".join(f"- {text}" for text in bullets)] if bullets else []
        yield "\n\n".join([f"# {section['head']}", paragraph, *listed])


def _sentences(drawing: Drawing, texts: Sequence[str], many: int, topic: Topic, *key: Any) -> list[str]:
    chosen = drawing.shuffled(texts, *key)[:many]
    return [fill_template(drawing, text, topic, *key, number) for number, text in enumerate(texts) if text in chosen]


def templates(drawing: Drawing) -> Iterator[Values]:
    """Yield the templates."""
    for row in drawing.shuffled(papers()["templates"], "templates")[:_TEMPLATES]:
        yield {"id": slug(row["name"]), **row}


def taggings(drawing: Drawing) -> Iterator[Values]:
    """Yield the tags of the documents: most have one or two, some none."""
    names = [tag.id for tag in drawing.made["Tag"]]
    for document in drawing.made["Document"]:
        tag_count = drawing.pick((0, 0, 1, 1, 1, 2, 3), "tags", document.id)
        for tag in drawing.shuffled(names, "tags", document.id)[:tag_count]:
            yield {"id": f"{document.id}/{tag}", "document": document.id, "tag": tag}


def links(drawing: Drawing) -> Iterator[Values]:
    """Yield the links that share documents, each with its recipient and expiry date."""
    # People who are not among the authors.
    recipients, next_recipient = [Entity(row) for row in cast(drawing)[20:]], 0
    for document in drawing.made["Document"]:
        if document.trashed or drawing.unit("shared", document.id) >= _LINKED:
            continue
        names = drawing.shuffled(papers()["links"], "links", document.id)
        for number, name in enumerate(names[: 1 + int(drawing.unit("links", document.id) * 5)]):
            key = ("link", document.id, number)
            day = drawing.start + timedelta(days=drawing.pick(_ENDS, *key, "ends"))
            link_name = name.format(who=recipients[next_recipient % len(recipients)].name)
            next_recipient += 1
            yield {
                "id": f"{document.id}-link-{number + 1}",
                "document": document.id,
                "name": link_name,
                "permission": drawing.pick(_PERMISSIONS, *key, "may"),
                "expires": "" if drawing.unit(*key, "end") < 0.35 else day.date().isoformat(),
            }


def comments(drawing: Drawing) -> Iterator[Values]:
    """Yield the comments on documents in chronological order."""
    writers = [person.id for person in drawing.made["Person"] if person.id != ME]
    for document in drawing.made["Document"]:
        if drawing.unit("commented", document.id) >= _COMMENTED:
            continue
        # The first of three people writes about half of a document's comments.
        commenters = drawing.shuffled(writers, "said by", document.id)[:3]
        texts = drawing.shuffled(papers()["comments"], "comments", document.id)
        for number, text in enumerate(texts[: 1 + int(drawing.unit("comments", document.id) * 6)]):
            key = ("comment", document.id, number)
            ago = timedelta(days=7 - number, minutes=int(drawing.unit(*key, "gap") * 100))
            yield {
                "id": f"{document.id}-{number + 1}",
                "document": document.id,
                "author": drawing.pick([commenters[0], *commenters], *key, "author"),
                "at": moment(datetime.fromisoformat(document.changed) - ago),
                "text": fill_template(drawing, text, document.topic, *key),
                "resolved": int(drawing.unit(*key, "resolved") < 0.35),
            }


def versions(drawing: Drawing) -> Iterator[Values]:
    """Yield the versions of documents; the latest has the current text."""
    writers = [person.id for person in drawing.made["Person"]]
    for document in drawing.made["Document"]:
        # Only long documents have versions: each has one section less than the next.
        if len(document.parts) < 5:
            continue
        total = 3 + int(drawing.unit("versions", document.id) * 2)
        notes = drawing.shuffled(papers()["notes"], "notes", document.id)
        for nth in range(1, total + 1):
            key = ("version", document.id, nth)
            back = total - nth
            age = timedelta(days=back * 3, minutes=int(drawing.unit(*key, "gap") * 120) if back else 0)
            body = "\n\n".join(document.parts[: len(document.parts) - back])
            yield {
                "id": f"{document.id}-{nth}",
                "document": document.id,
                "name": fill_template(drawing, notes[nth - 1], document.topic, *key),
                "author": drawing.pick(writers[:3], *key, "author"),
                "at": moment(datetime.fromisoformat(document.changed) - age),
                "body": body,
            }
