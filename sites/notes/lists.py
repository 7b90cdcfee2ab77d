"""Lists of documents and tags with derived columns: excerpts, paths, tags and numbers of uses."""

import re

from stressweb.core.entity import Entity
from stressweb.sites.kit import Download, MissingError, Visit
from stressweb.sites.kit.logic.folders import path
from stressweb.sites.kit.logic.nesting import path_to
from stressweb.sites.kit.logic.tags import tags_by_row, tags_with_uses
from stressweb.sites.kit.widgets.listing.model import words
from stressweb.sites.kit.wording import markup

_EXCERPT_LENGTH, _LEAD_LENGTH = 110, 40
"""Maximum number of characters of an excerpt, and of its part before the first match."""


def with_excerpts(visit: Visit, documents: list[Entity]) -> list[Entity]:
    """Return documents with an excerpt of their text, their folder's path and their tags."""
    folders, tags_of = visit.store.where("Folder", {}), tags_by_row(visit, "document")
    query = words(visit.args.get("q", ""))

    def list_row(document: Entity) -> Entity:
        tags = sorted(tags_of.get(document.id, []), key=lambda tag: tag.name)
        folder_path = path(visit, path_to(folders, document.folder))
        return Entity({**document, "excerpt": excerpt(document.body, query), "path": folder_path, "tags": tags})

    return [list_row(document) for document in documents]


def excerpt(body: str, query: set[str]) -> str:
    """Return an excerpt of a text around its first word that is in the query; without a match, the beginning."""
    # A dot between the lines: headings and bullets end without one.
    text = " · ".join(filter(None, map(markup.plain, body.split("\n"))))
    match = next((word for word in re.finditer(r"[^\W_]+", text) if word[0].lower() in query), None)
    start = text.rfind(" ", 0, max(match.start() - _LEAD_LENGTH, 0)) + 1 if match else 0
    if len(text) - start <= _EXCERPT_LENGTH:
        end = len(text)
    else:
        end = text.rfind(" ", start, start + _EXCERPT_LENGTH)
        end = end if end > start else start + _EXCERPT_LENGTH
    return f"{'… ' * (start > 0)}{text[start:end]}{' …' * (end < len(text))}"


def with_uses(visit: Visit, tags: list[Entity]) -> list[Entity]:
    """Return tags with the number of documents that have them; trashed and archived documents do not count."""
    documents = {document.id for document in visit.store.where("Document", {"trashed": "", "archived": 0})}
    return tags_with_uses(visit, tags, "document", documents)


def text_file(visit: Visit) -> Download:
    """Return a document as a text file that begins with its title; raises MissingError if it is missing."""
    document = visit.store.one("Document", visit.names["key"])
    if document is None:
        raise MissingError
    return Download(f"{document.name}.txt", f"# {document.name}\n\n{document.body}\n".encode())
