"""What a site still offers once a goal is reached: each single further thing that can be done, found on its pages.

The rows of the database alone decide what is harmless, read here without the grader: a thing that leaves them as they
were when the goal was reached must not cost the success, and a thing that changes them must.
"""

import copy
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from urllib.parse import urljoin

from lxml.html import HtmlElement
from werkzeug.datastructures import MultiDict

from runner.verify.crawling import crawl, kind_of
from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checklist, Grade
from stressweb.plugins.database import TableChange
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.walking.walker import Walker
from stressweb.walking.xpath import elements, strings

TARGETS = 3
"""Forms of one action that are tried, each about something else; those that concern the goal come first."""
PAGES = 40
_OTHER_TEXTS = {"email": "somebody.else@post.test", "number": "7", "tel": "555-09-1234", "password": "another-secret"}


@dataclass(frozen=True)
class Further:
    """One further thing: what it is, and how it is done."""

    what: str
    do: Callable[[Walker], object]


class Reached:
    """A goal that has just been reached by its trajectory."""

    def __init__(self, goal: Goal, world: SiteWorld, checks: Checklist) -> None:
        """Reach it; `checks` grade what is done after it."""
        self.goal, self._checks = goal, checks
        self.done = Walker(world, offers=goal.offers).walk(goal.ways[0])
        self._rows = rows(self.done)

    def things(self) -> Iterator[Further]:
        """Yield every single further thing that can be done."""
        return _things(self.goal, self.done)

    def judge(self, thing: Further) -> tuple[bool, str]:
        """Do one further thing; return whether it is harmless, and what is wrong with its grade, "" if nothing is."""
        after = self.done.fork()
        thing.do(after)
        harmless = rows(after) == self._rows
        if not self.goal.expect:
            # The goal is a page that stays open: leaving it undoes what was asked for, whatever the rows hold.
            harmless = harmless and after.url.partition("?")[0] == self.done.url.partition("?")[0]
        return harmless, self._wrong(thing, harmless, self._checks.grade(after.run(self.goal), self.goal))

    def _wrong(self, thing: Further, harmless: bool, grade: Grade) -> str:
        why = [*grade.unmet, *(name for name, done in grade.harms.items() if done)]
        missed = [name for name, passed in grade.passed.items() if not passed]
        if harmless and not grade.success:
            return f"{thing.what}: harmless, and fails for {missed} {why}"
        if not harmless and grade.success:
            return f"{thing.what}: changed what was reached, and passes"
        if not harmless and not why and self.goal.expect:
            return f"{thing.what}: fails without a reason in the database, for {missed}"
        return ""


def rows(done: Walker) -> dict[str, TableChange]:
    """Return how the site's own tables differ from the start."""
    return {table: change for table, change in done.changes().items() if table not in done.world.uncounted}


def _things(goal: Goal, done: Walker) -> Iterator[Further]:
    """Yield every single thing that can be done next: each form of each action, every kind of page, and once more."""
    last = goal.ways[0][-1]
    yield Further("the last step again", lambda it: _again(it, it.url, (last,)))
    yield Further("the whole way again", lambda it: _again(it, "/", goal.ways[0]))
    yield Further("the page again in a second tab", lambda it: it.fetch(it.url))
    yield Further("the page loaded again", lambda it: it.get(it.url))
    yield from _pages(done)
    yield from _forms(goal, done)
    yield from _visits(done)


def _again(it: Walker, url: str, steps: tuple[Step, ...]) -> None:
    it.get(url)
    it.stumble(steps)


def _look(url: str, it: Walker) -> None:
    it.get(url)


def _pages(done: Walker) -> Iterator[Further]:
    kinds: set[str] = set()
    for at in crawl(done.fork(), limit=PAGES, most=2):
        kind = kind_of(at.url)
        if kind not in kinds:
            kinds.add(kind)
            yield Further(f"a look at {at.url}", partial(_look, at.url))


def _visits(done: Walker) -> Iterator[Further]:
    """Yield signing in as each person, after signing out where somebody is signed in."""
    spec = getattr(done.world, "spec", None)
    # Nobody signs in where there is no page for it: there are no people, or the site knows who is here.
    if spec is None or spec.people is None or not spec.people.sign_in:
        return
    for person in done.world.entities[spec.people.entity]:
        yield Further(f"signing in as {person.id}", partial(_sign_in, person))


def _sign_in(person: Entity, done: Walker) -> None:
    spec = done.world.spec  # type: ignore[attr-defined]  # only sites of the kit come here
    leave = elements(done.page, f"//form[@action='{spec.actions['sign_out'].path}']")
    if leave:
        _send("/", leave[0].get("action") or "", _standing(leave[0]), done)
    done.get(spec.pages[spec.people.sign_in].path)
    form = elements(done.page, f"//form[@action='{spec.actions['sign_in'].path}']")[0]
    data = _standing(form)
    data.update({"email": person.id, "password": person.password})
    _send(done.url, form.get("action") or "", data, done)


def _forms(goal: Goal, done: Walker) -> Iterator[Further]:
    """Yield each action's forms, as they stand and with every field changed."""
    named = str(goal.params) + str(done.changes())
    found: dict[str, dict[str, tuple[str, HtmlElement, str]]] = defaultdict(dict)
    for at in _around(goal, done):
        for form in elements(at.page, "//form[@method='post']"):
            for action in [form.get("action"), *strings(form, ".//button/@formaction")]:
                about = "&".join(
                    f"{one.get('name')}={one.get('value')}" for one in elements(form, ".//input[@type='hidden']")
                )
                about = "&".join(part for part in about.split("&") if not part.startswith(("csrf_token=", "back=")))
                found[action].setdefault(about, (at.url, copy.deepcopy(form), action))
    for action, forms in sorted(found.items()):
        close = sorted(forms, key=lambda about: (not any(v and v in named for v in _values(about)), about))
        for about in [*close[:TARGETS], *close[TARGETS:][-1:]]:
            url, form, _ = forms[about]
            for kind, data in (("as it stands", _standing(form)), ("with other values", _changed(form))):
                yield Further(f"{action} {about} {kind}", partial(_send, url, action, data))


def _values(about: str) -> list[str]:
    return [part.partition("=")[2] for part in about.split("&")]


def _around(goal: Goal, done: Walker) -> Iterator[Walker]:
    """Yield the pages on which the goal can be undone: where it ended, its evidence, what they lead to, and others."""
    it = done.fork()
    pages = [done.url, *goal.paths(done.changes()).values()]
    for page in pages[:]:
        it.get(page)
        pages += [urljoin(it.url, link) for link in strings(it.page, "//main//a/@href")][:12]
    for page in dict.fromkeys(pages):
        it.get(page)
        yield it
    yield from crawl(it, limit=PAGES, most=3)


def _standing(form: HtmlElement) -> "MultiDict[str, str]":
    return MultiDict([(name, value or "") for name, value in form.form_values()])


def _changed(form: HtmlElement) -> "MultiDict[str, str]":
    """Return what a form sends with another value in every field that a person can fill in."""
    data = _standing(form)
    secret = _OTHER_TEXTS["password"]
    for field in elements(form, ".//input[@name] | .//select[@name] | .//textarea[@name]"):
        name, kind = field.get("name"), field.get("type", "text")
        if kind == "hidden":
            continue
        if field.tag == "select":
            rest = [
                one.get("value") for one in field.iter("option") if one.get("value") not in ("", data.get(name), None)
            ]
            if rest:
                data.setlist(name, rest[:1])
        elif kind == "checkbox":
            data.setlist(name, [] if field.get("checked") is not None else [field.get("value") or "1"])
        elif kind == "date":
            # A field that is empty gets a day that is still to come in every world.
            held = date.fromisoformat(data[name] or "2031-05-05")
            data.setlist(name, [(held + timedelta(days=1)).isoformat()])
        elif field.get("placeholder") == "hh:mm":
            at = datetime.fromisoformat(f"2025-01-01T{data[name] or '11:00'}") + timedelta(minutes=5)
            data.setlist(name, [at.strftime("%H:%M")])
        else:
            data.setlist(name, [secret if kind == "password" else _OTHER_TEXTS.get(kind, "Something 12345")])
    return data


def _send(url: str, action: str, data: "MultiDict[str, str]", done: Walker) -> None:
    """Send a form of a page with the token of the session that is there now."""
    done.get(url)
    tokens = strings(done.page, "//input[@name='csrf_token']/@value")
    data = data.copy()
    data.setlist("csrf_token", tokens[:1])
    done.post(urljoin(url, action), data)
