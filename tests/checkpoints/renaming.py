"""Walks in which something is made under another name and then renamed, by the site's own forms."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urljoin

from lxml.html import HtmlElement

from runner.verify.corrections import mistyped, with_name
from stressweb.core.task_id import site_of
from stressweb.plugins.task import Goal
from stressweb.walking.walker import Walker
from stressweb.walking.xpath import elements, strings
from tests.checkpoints.walks import walker, world

PAGES = 40
"""Pages on which a form to rename something is looked for."""


class Made(NamedTuple):
    """Something that a goal has people make under a name which they type."""

    entity: str
    table: str
    column: str
    name: str
    """The name as it is typed; a file's name has its ending besides."""


def made_by(goal: Goal) -> Iterator[Made]:
    """Yield what the trajectory makes whose address follows from its name."""
    changes = walker(goal).walk(goal.ways[0]).changes()
    typed = {step.value for step in goal.ways[0] if step.verb == "enter" and step.value}
    for entity, spec in world(site_of(goal.task), goal.world_seed).spec.entities.items():
        rows = changes[spec.table].added if spec.table in changes else ()
        names = {str(row[spec.key]) for row in rows} if spec.key else set[str]()
        for name in sorted(typed):
            if any(name == own or own.startswith(f"{name}.") for own in names):
                yield Made(entity, spec.table or "", spec.key, name)


def renamed(goal: Goal, made: Made) -> Walker | None:
    """Walk the trajectory with a mistyped name and put it right at the end; None if the site offers no way to do so."""
    wrong = mistyped(made.name)
    it = walker(goal).walk(with_name(step, made.name, wrong) for step in goal.ways[0])
    rows = it.changes()[made.table].added
    row = next(row for row in rows if str(row[made.column]).startswith(wrong))
    held = str(row[made.column])
    for form, field in _forms(it, goal, str(row.id), {wrong, held}):
        right = (field.text if field.tag == "textarea" else field.get("value") or "").replace(wrong, made.name)
        field.set("value", right)
        button = next(iter(elements(form, ".//button[not(@type) or @type='submit']")))
        it.submit(form, button)
        names = {str(row.id): str(row[made.column]) for row in it.changes()[made.table].added}
        if names[str(row.id)] == held.replace(wrong, made.name):
            return it
    return None


def _forms(it: Walker, goal: Goal, key: str, names: set[str]) -> Iterator[tuple[HtmlElement, HtmlElement]]:
    """Yield the forms in which a text field holds a name, on pages that are about the row."""
    ahead, seen = [it.url, *goal.paths(it.changes()).values()], set[str]()
    while ahead and len(seen) < PAGES:
        path = ahead.pop(0)
        if path in seen or it.fetch(path).status_code >= 400:
            continue
        seen.add(path)
        it.get(path)
        links = [urljoin(it.url, link) for link in strings(it.page, "//a/@href") if link.startswith("/")]
        ahead += [link for link in links if key in link]
        for field in elements(it.page, "//form[@method='post']//input[@type='text' or not(@type)]"):
            if (field.get("value") or "") in names:
                yield next(field.iterancestors("form")), field
