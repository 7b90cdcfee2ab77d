"""Tags of rows. A row of the entity Tagging connects a tag with a row, whose key is in a column that the site names."""

from collections import Counter
from collections.abc import Collection

from stressweb.core.entity import Entity
from stressweb.sites.kit.serving.visit import Visit


def tags_by_row(visit: Visit, column: str, of: str = "Tag", tag_column: str = "tag") -> dict[str, list[Entity]]:
    """Return the tags of each row by the row's key, each tag with the key of its `tagging`.

    `column` of Tagging has the row's key, and `tag_column` that of the tag, which is an entity `of`.
    """
    tags, tags_of = {tag.id: tag for tag in visit.store.where(of, {})}, dict[str, list[Entity]]()
    for tagging in visit.store.where("Tagging", {}):
        tag = Entity({**tags[tagging[tag_column]], "tagging": tagging.id})
        tags_of.setdefault(tagging[column], []).append(tag)
    return tags_of


def tags_with_uses(visit: Visit, tags: list[Entity], column: str, counted: Collection[str]) -> list[Entity]:
    """Return tags with `uses`, the number of rows with these keys that have the tag; `column` as in `tags_by_row`."""
    uses = Counter(tagging.tag for tagging in visit.store.where("Tagging", {}) if tagging[column] in counted)
    return [Entity({**tag, "uses": uses[tag.id]}) for tag in tags]
