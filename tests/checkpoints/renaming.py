"""Walks that create something under a mistyped name and rename it with the site's own forms."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urljoin

from lxml.html import HtmlElement

from stressweb.core.task_id import site_of
from stressweb.plugins.task import Goal
from stressweb.runner.verify.corrections import mistyped, with_name
from stressweb.walking.walker import Walker
from stressweb.walking.xpath import elements, strings
from tests.support.walks import walker, world

PAGES = 40
"""The most pages to search for a form that renames."""


class Creation(NamedTuple):
    """A row that a goal asks to create under a typed name."""

    entity: str
    table: str
    column: str
    name: str
    """The name as it is typed; a file's name has its ending besides."""


def creations_of(goal: Goal) -> Iterator[Creation]:
    """Yield the rows that the trajectory creates and whose key follows from a typed name."""
    changes = walker(goal).walk(goal.ways[0]).changes()
    typed = {step.value for step in goal.ways[0] if step.verb == "enter" and step.value}
    for entity, spec in world(site_of(goal.task), goal.world_seed).spec.entities.items():
        rows = changes[spec.table].added if spec.table in changes else ()
        names = {str(row[spec.key]) for row in rows} if spec.key else set[str]()
        for name in sorted(typed):
            if any(name == own or own.startswith(f"{name}.") for own in names):
                yield Creation(entity, spec.table or "", spec.key, name)


def renamed(goal: Goal, creation: Creation) -> Walker | None:
    """Walk the trajectory with a mistyped name and correct it at the end; None if the site cannot rename it."""
    wrong = mistyped(creation.name)
    walk = walker(goal).walk(with_name(step, creation.name, wrong) for step in goal.ways[0])
    rows = walk.changes()[creation.table].added
    row = next(row for row in rows if str(row[creation.column]).startswith(wrong))
    held = str(row[creation.column])
    for form, field in _forms(walk, goal, str(row.id), {wrong, held}):
        right = (field.text if field.tag == "textarea" else field.get("value") or "").replace(wrong, creation.name)
        field.set("value", right)
        button = next(iter(elements(form, ".//button[not(@type) or @type='submit']")))
        walk.submit(form, button)
        names = {str(row.id): str(row[creation.column]) for row in walk.changes()[creation.table].added}
        if names[str(row.id)] == held.replace(wrong, creation.name):
            return walk
    return None


def _forms(walk: Walker, goal: Goal, key: str, names: set[str]) -> Iterator[tuple[HtmlElement, HtmlElement]]:
    """Yield the forms in which a text field holds a name, on pages that are about the row."""
    queue, seen = [walk.url, *goal.paths(walk.changes()).values()], set[str]()
    while queue and len(seen) < PAGES:
        path = queue.pop(0)
        if path in seen or walk.fetch(path).status_code >= 400:
            continue
        seen.add(path)
        walk.get(path)
        links = [urljoin(walk.url, link) for link in strings(walk.page, "//a/@href") if link.startswith("/")]
        queue += [link for link in links if key in link]
        for field in elements(walk.page, "//form[@method='post']//input[@type='text' or not(@type)]"):
            if (field.get("value") or "") in names:
                yield next(field.iterancestors("form")), field
