"""What the notebook's lists show of documents and tags, besides their columns."""

import re

from stressweb.core.entity import Entity
from stressweb.sites.kit import Download, MissingError, Visit
from stressweb.sites.kit.logic.folders import path
from stressweb.sites.kit.logic.nesting import above
from stressweb.sites.kit.logic.tags import tags_by_row, tags_with_uses
from stressweb.sites.kit.widgets.listing.model import words
from stressweb.sites.kit.wording import markup

_EXCERPT, _LEAD = 110, 40
"""Length of an excerpt in characters, and how many of them stand before the first word of a search."""


def with_excerpts(visit: Visit, rows: list[Entity]) -> list[Entity]:
    """Return documents with the part of their text that a list shows, their folder's path and their tags."""
    folders, tags_of = visit.store.where("Folder", {}), tags_by_row(visit, "document")
    query = words(visit.args.get("q", ""))

    def listed(row: Entity) -> Entity:
        names = sorted(tags_of.get(row.id, []), key=lambda tag: tag.name)
        place = path(visit, above(folders, row.folder))
        return Entity({**row, "excerpt": excerpt(row.body, query), "path": place, "tags": names})

    return [listed(row) for row in rows]


def excerpt(body: str, query: set[str]) -> str:
    """Return some words of a text, around the first one that is in the query; without a match, its beginning."""
    # A dot between the lines: headings and bullets end without one.
    text = " · ".join(filter(None, map(markup.plain, body.split("\n"))))
    match = next((word for word in re.finditer(r"[^\W_]+", text) if word[0].lower() in query), None)
    start = text.rfind(" ", 0, max(match.start() - _LEAD, 0)) + 1 if match else 0
    if len(text) - start <= _EXCERPT:
        end = len(text)
    else:
        end = text.rfind(" ", start, start + _EXCERPT)
        end = end if end > start else start + _EXCERPT
    return f"{'… ' * (start > 0)}{text[start:end]}{' …' * (end < len(text))}"


def with_uses(visit: Visit, rows: list[Entity]) -> list[Entity]:
    """Return tags with the number of documents that bear them, without trash and archive."""
    documents = {row.id for row in visit.store.where("Document", {"trashed": "", "archived": 0})}
    return tags_with_uses(visit, rows, "document", documents)


def text_file(visit: Visit) -> Download:
    """Return a document as a text file, with its title as the first heading."""
    row = visit.store.one("Document", visit.names["key"])
    if row is None:
        raise MissingError
    return Download(f"{row.name}.txt", f"# {row.name}\n\n{row.body}\n".encode())
