"""Generates a world's workspaces, folders and documents, and what belongs to them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, moment, slug
from stressweb.sites.kit.data.phrases import past
from stressweb.sites.kit.logic.nesting import path_to
from stressweb.sites.kit.mixins.people.logic import cast
from stressweb.sites.kit.wording import markup
from stressweb.sites.notes.document_texts import DocumentTexts, Topic, corpus, fill_template, papers, purposes
from stressweb.sites.notes.jottings import Jottings

ME = "me"
"""Key of the person whose notebook it is."""
_WORKSPACES, _COLLEAGUES, _TEMPLATES = 5, 7, 6
_AGE_RANGES = ((1, 7), (9, 29), (33, 340), (375, 700))
"""Ranges of days since a document was changed; they avoid the boundaries of weeks, months and years."""
_CUMULATIVE_WEIGHTS = (0.2, 0.48, 0.85, 1.0)
"""Cumulative probability of each range of ages."""
_PRIVACY = ("privacy_private", "privacy_members", "privacy_public")
_PERMISSIONS = ("may_view", "may_comment", "may_edit")
_EXPIRY_DAYS = (-120, -47, -31, -12, -5, -2, 4, 11, 25, 52, 90)
"""Days from today to a link's expiry; negative if it has expired."""
_PINNED, _ARCHIVED, _TRASHED, _BY_OWNER = 0.08, 0.06, 0.09, 0.45
"""Shares of documents that are pinned, archived, in the trash, or by the owner."""
_LINKED, _COMMENTED, _VERSIONED = 0.22, 0.35, 0.22
"""Shares of documents with links, comments and versions."""
_ATTEMPTS = 99
"""Maximum number of draws for an age that must be unique."""

type Values = dict[str, Any]


def requests() -> Mapping[str, Any]:
    """Return the texts that goals ask for."""
    return corpus("requests")


def people(drawing: Drawing) -> Iterator[Values]:
    """Yield the owner of the notebook and the other authors, all with different first names."""
    owner, *others = cast(drawing)
    by_first_name = {person["name"].split()[0]: person for person in reversed(drawing.shuffled(others, "colleagues"))}
    by_first_name.pop(owner["name"].split()[0], None)
    for person in (owner, *[*by_first_name.values()][::-1][:_COLLEAGUES]):
        key = ME if person is owner else slug(person["name"])
        yield {"id": key, "name": person["name"], "email": person["id"], "job": person["job"]}


def folders(drawing: Drawing) -> Iterator[Values]:
    """Yield every workspace with its folders and their subfolders; a few are in the trash."""
    all_places = [f"{first} {second} " for first in papers()["firsts"] for second in papers()["seconds"]]
    places, endings = drawing.shuffled(all_places, "places"), drawing.shuffled([*purposes()], "purposes")
    for number, name in enumerate(sorted(map(str.__add__, places[:_WORKSPACES], endings))):
        topic = Topic(_purpose(name), ("about", name))
        about = fill_template(drawing, drawing.pick(papers()["abouts"], "about", name), topic, "about", name)
        privacy = drawing.pick(_PRIVACY, "privacy", name)
        workspace = _folder(drawing, name, "", privacy=privacy, about=about)
        yield workspace
        folder_names = drawing.shuffled([*papers()["folders"]], "folders", name)
        for folder_name in folder_names[: 3 + int(drawing.unit("folders in", name) * 2)]:
            folder = _folder(drawing, folder_name, workspace["id"])
            yield folder
            subfolder_names = drawing.shuffled(papers()["subfolders"], "subfolders", folder["id"])
            for subfolder_name in subfolder_names[: int(drawing.unit("in", folder["id"]) * 3)]:
                yield _folder(drawing, subfolder_name, folder["id"])
        if number % 2:
            title = drawing.pick(("Old drafts", "Duplicates", "Old photos", "Unsorted"), "old folder", name)
            old_folder = _folder(drawing, title, workspace["id"])
            yield {**old_folder, "trashed": past(drawing, 2 + 20 * drawing.unit("old", name))}


def _purpose(workspace_name: str) -> str:
    return next(name for name in purposes() if workspace_name.endswith(f" {name}"))


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
    """Draws ages and moments of deletion, each of them once."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self.minutes, self.moments = set[str](), set[str]()

    def age(self, *key: Any) -> float:
        """Return the number of days since a document was changed."""
        unit = self.drawing.unit(*key, "age")
        low, high = _AGE_RANGES[next(index for index, limit in enumerate(_CUMULATIVE_WEIGHTS) if unit < limit)]
        for attempt in range(_ATTEMPTS):
            age = low + (high - low) * self.drawing.unit(*key, "day", attempt)
            # Unique to the minute, as lists show it.
            if (minute := past(self.drawing, age)[:16]) not in self.minutes:
                break
        self.minutes.add(minute)
        return age

    def moment(self, age: float) -> str:
        """Return an unused moment about `age` days ago."""
        while (stamp := past(self.drawing, age)) in self.moments:
            age += 1.5 / 720
        self.moments.add(stamp)
        return stamp


def documents(drawing: Drawing) -> Iterator[Values]:
    """Yield the documents of all folders; there are fewer in workspaces than in the folders below them."""
    unique, texts, jottings = _UniqueDraws(drawing), DocumentTexts(drawing), Jottings(drawing)
    folders_by_id = {folder.id: folder for folder in drawing.made["Folder"]}
    writers = [person.id for person in drawing.made["Person"] if person.id != ME]
    for folder in folders_by_id.values():
        trail = path_to(drawing.made["Folder"], folder.id)
        for number in range(_document_count(drawing, folder, folders_by_id)):
            key = ("document", folder.id, number)
            age = unique.age(*key)
            changed = past(drawing, age)
            topic = Topic(_purpose(trail[0].name), key, date.fromisoformat(changed[:10]))
            trashed = folder.trashed
            if not trashed and drawing.unit(*key, "deleted") < _TRASHED:
                trashed = unique.moment(min(age, 1 + 27 * drawing.unit(*key, "when")))
            # The same draw for both, so that no document is pinned and archived.
            mark = drawing.unit(*key, "mark")
            # Only documents with four sections have versions.
            sections = 4 if drawing.unit(*key, "versions") < _VERSIONED else 2 + int(drawing.unit(*key, "long") * 2)
            text = jottings.draw(trail, topic, *key) or texts.sectioned(_kind(drawing, trail, number), topic, sections)
            body = "\n\n".join(text.parts)
            yield {
                "id": slug(text.name),
                "name": text.name,
                "folder": folder.id,
                "author": ME if drawing.unit(*key, "mine") < _BY_OWNER else drawing.pick(writers, *key, "author"),
                "body": body,
                "words": word_count(body),
                "created": past(drawing, age + 40 + 300 * drawing.unit(*key, "created")),
                "changed": changed,
                "pinned": int(mark < _PINNED and not trashed),
                "archived": int(mark > 1 - _ARCHIVED and age > 60 and not trashed),
                "trashed": trashed,
                "parts": text.parts,
                "topic": text.topic,
                "remarks": text.comments,
            }


def _document_count(drawing: Drawing, folder: Entity, folders_by_id: Mapping[str, Entity]) -> int:
    depth = 1 if not folder.parent else 2 if not folders_by_id[folder.parent].parent else 3
    low, high = {1: (1, 2), 2: (4, 7), 3: (3, 5)}[depth]
    return low + int(drawing.unit("documents in", folder.id) * (high - low + 1))


def _kind(drawing: Drawing, trail: Sequence[Entity], number: int) -> Values:
    kinds = {row["id"]: row for row in papers()["kinds"]}
    # Most documents in a folder and its subfolders are of the kinds that the corpus lists for its name.
    usual = [kinds[name] for folder in trail[1:2] for name in papers()["folders"].get(folder.name, ())]
    kind: Values = drawing.pick([*usual * 4, *kinds.values()], "kind", trail[-1].id, number)
    return kind


def word_count(body: str) -> int:
    """Return the number of words in a text; its markup does not count."""
    return len(markup.plain(body).split())


def templates(drawing: Drawing) -> Iterator[Values]:
    """Yield the templates."""
    for template in drawing.shuffled(papers()["templates"], "templates")[:_TEMPLATES]:
        yield {"id": slug(template["name"]), **template}


def taggings(drawing: Drawing) -> Iterator[Values]:
    """Yield the tags of the documents: most have one or two, some none."""
    names = [tag.id for tag in drawing.made["Tag"]]
    for document in drawing.made["Document"]:
        tag_count = drawing.pick((0, 0, 1, 1, 1, 2, 3), "tags", document.id)
        for tag in drawing.shuffled(names, "tags", document.id)[:tag_count]:
            yield {"id": f"{document.id}/{tag}", "document": document.id, "tag": tag}


def links(drawing: Drawing) -> Iterator[Values]:
    """Yield the links that share documents, each with its recipient and expiry date."""
    # Without the first people of the world, one of whom owns the notebook.
    recipients, next_recipient = [Entity(person) for person in cast(drawing)[20:]], 0
    for document in drawing.made["Document"]:
        if document.trashed or drawing.unit("shared", document.id) >= _LINKED:
            continue
        names = drawing.shuffled(papers()["links"], "links", document.id)
        for number, name in enumerate(names[: 1 + int(drawing.unit("links", document.id) * 5)]):
            key = ("link", document.id, number)
            expiry = drawing.start + timedelta(days=drawing.pick(_EXPIRY_DAYS, *key, "ends"))
            link_name = name.format(who=recipients[next_recipient % len(recipients)].name)
            next_recipient += 1
            yield {
                "id": f"{document.id}-link-{number + 1}",
                "document": document.id,
                "name": link_name,
                "permission": drawing.pick(_PERMISSIONS, *key, "may"),
                "expires": "" if drawing.unit(*key, "end") < 0.35 else expiry.date().isoformat(),
            }


def comments(drawing: Drawing) -> Iterator[Values]:
    """Yield the comments on documents in chronological order."""
    writers = [person.id for person in drawing.made["Person"] if person.id != ME]
    for document in drawing.made["Document"]:
        if document.topic is None or drawing.unit("commented", document.id) >= _COMMENTED:
            continue
        # The first of three people writes about half of a document's comments.
        commenters = drawing.shuffled(writers, "said by", document.id)[:3]
        texts = drawing.shuffled(document.remarks, "comments", document.id)
        for number, text in enumerate(texts[: 1 + int(drawing.unit("comments", document.id) * 6)]):
            key = ("comment", document.id, number)
            age = timedelta(days=7 - number, minutes=int(drawing.unit(*key, "gap") * 100))
            yield {
                "id": f"{document.id}-{number + 1}",
                "document": document.id,
                "author": drawing.pick([commenters[0], *commenters], *key, "writer"),
                "at": moment(datetime.fromisoformat(document.changed) - age),
                # In the words of the document.
                "text": fill_template(drawing, text, document.topic, *document.topic.key),
                "resolved": int(drawing.unit(*key, "resolved") < 0.35),
            }


def versions(drawing: Drawing) -> Iterator[Values]:
    """Yield the versions of documents; the latest has the current text."""
    writers = [person.id for person in drawing.made["Person"]]
    for document in drawing.made["Document"]:
        # Only documents with four sections have versions; each version has one section less than the next.
        if len(document.parts) < 5:
            continue
        total = 3 + int(drawing.unit("versions", document.id) * 2)
        names = drawing.shuffled(papers()["notes"], "notes", document.id)
        for number in range(1, total + 1):
            key = ("version", document.id, number)
            newer = total - number
            age = timedelta(days=newer * 3, minutes=int(drawing.unit(*key, "gap") * 120) if newer else 0)
            body = "\n\n".join(document.parts[: len(document.parts) - newer])
            yield {
                "id": f"{document.id}-{number}",
                "document": document.id,
                "name": fill_template(drawing, names[number - 1], document.topic, *key),
                "author": drawing.pick(writers[:3], *key, "author"),
                "at": moment(datetime.fromisoformat(document.changed) - age),
                "body": body,
            }
