"""Further actions after a goal is reached: everything that the site still offers on its pages.

An action is harmless if it leaves the rows of the database unchanged, as read here without the grader. A harmless
action must not cost the success; any other action must.
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

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checklist, Grade
from stressweb.plugins.database import TableChange
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.runner.verify.crawling import crawl, kind_of
from stressweb.runner.verify.found_forms import unidentifying
from stressweb.walking.submission import submission
from stressweb.walking.walker import Walker
from stressweb.walking.xpath import elements, strings

TARGETS = 3
"""Number of forms of an action to try, each about another row; rows of the goal come first."""
PAGES = 40
_OTHER_TEXTS = {"email": "somebody.else@post.test", "number": "7", "tel": "555-09-1234", "password": "another-secret"}


@dataclass(frozen=True)
class Further:
    """A further action: its description, and the function that does it."""

    what: str
    do: Callable[[Walker], object]


class Reached:
    """A goal that was reached by its trajectory."""

    def __init__(self, goal: Goal, world: SiteWorld, checks: Checklist) -> None:
        """Reach the goal; `checks` grade the further actions."""
        self.goal, self._checks = goal, checks
        self.done = Walker(world, offers=goal.offers).walk(goal.ways[0])
        self._rows = rows(self.done)

    def further_actions(self) -> Iterator[Further]:
        """Yield every further action."""
        return _further_actions(self.goal, self.done)

    def judge(self, action: Further) -> tuple[bool, str]:
        """Do a further action; return whether it is harmless, and the problem with its grade ("" for none)."""
        after = self.done.fork()
        action.do(after)
        harmless = rows(after) == self._rows
        if not self.goal.expect:
            # The goal is an open page, so leaving it fails.
            harmless = harmless and after.url.partition("?")[0] == self.done.url.partition("?")[0]
        return harmless, self._wrong(action, harmless, self._checks.grade(after.run(self.goal), self.goal))

    def _wrong(self, action: Further, harmless: bool, grade: Grade) -> str:
        why = [*grade.unmet, *(name for name, done in grade.harms.items() if done)]
        missed = [name for name, passed in grade.passed.items() if not passed]
        if harmless and not grade.success:
            return f"{action.what}: is harmless, but fails: {missed} {why}"
        if not harmless and grade.success:
            return f"{action.what}: changes the database, but passes"
        if not harmless and not why and self.goal.expect:
            return f"{action.what}: fails without a reason in the database: {missed}"
        return ""


def rows(walker: Walker) -> dict[str, TableChange]:
    """Return the changes of the tables that count for the verdict."""
    return {table: change for table, change in walker.changes().items() if table not in walker.world.uncounted}


def _further_actions(goal: Goal, reached: Walker) -> Iterator[Further]:
    """Yield every further action: repeated steps, each kind of page, the forms of each action, and signing in."""
    last = goal.ways[0][-1]
    yield Further("the last step again", lambda it: _repeat(it, it.url, (last,)))
    yield Further("the whole way again", lambda it: _repeat(it, "/", goal.ways[0]))
    yield Further("the page again in a second tab", lambda it: it.fetch(it.url))
    yield Further("the page loaded again", lambda it: it.get(it.url))
    yield from _pages(reached)
    yield from _forms(goal, reached)
    yield from _visits(reached)


def _repeat(walker: Walker, url: str, steps: tuple[Step, ...]) -> None:
    walker.get(url)
    walker.stumble(steps)


def _look(url: str, walker: Walker) -> None:
    walker.get(url)


def _pages(reached: Walker) -> Iterator[Further]:
    kinds: set[str] = set()
    for place in crawl(reached.fork(), limit=PAGES, most=2):
        kind = kind_of(place.url)
        if kind not in kinds:
            kinds.add(kind)
            yield Further(f"a look at {place.url}", partial(_look, place.url))


def _visits(done: Walker) -> Iterator[Further]:
    """Yield signing in as each person, after signing out."""
    spec = getattr(done.world, "spec", None)
    # A site without a sign-in page has no signed-in visitors.
    if spec is None or spec.people is None or not spec.people.sign_in:
        return
    for person in done.world.entities[spec.people.entity]:
        yield Further(f"signing in as {person.id}", partial(_sign_in, person))


def _sign_in(person: Entity, done: Walker) -> None:
    spec = done.world.spec  # type: ignore[attr-defined]  # only called for sites of the kit
    leave = elements(done.page, f"//form[@action='{spec.actions['sign_out'].path}']")
    if leave:
        _send("/", leave[0].get("action") or "", _present_values(leave[0]), done)
    done.get(spec.pages[spec.people.sign_in].path)
    form = elements(done.page, f"//form[@action='{spec.actions['sign_in'].path}']")[0]
    form_data = _present_values(form)
    form_data.update({"email": person.id, "password": person.password})
    _send(done.url, form.get("action") or "", form_data, done)


def _forms(goal: Goal, done: Walker) -> Iterator[Further]:
    """Yield each action's forms, unchanged and with every field changed."""
    named, ignored_names = str(goal.params) + str(done.changes()), unidentifying(done)
    forms_of: dict[str, dict[str, tuple[str, HtmlElement, str]]] = defaultdict(dict)
    for place in _pages_around(goal, done):
        for form in elements(place.page, "//form[@method='post']"):
            for action in [form.get("action"), *strings(form, ".//button/@formaction")]:
                about = "&".join(
                    f"{element.get('name')}={element.get('value')}"
                    for element in elements(form, ".//input[@type='hidden']")
                    if element.get("name") not in ignored_names
                )
                forms_of[action].setdefault(about, (place.url, copy.deepcopy(form), action))
    for action, forms in sorted(forms_of.items()):
        close = sorted(forms, key=lambda about: (not any(v and v in named for v in _values(about)), about))
        for about in [*close[:TARGETS], *close[TARGETS:][-1:]]:
            url, form, _ = forms[about]
            for kind, form_data in (
                ("as it stands", _present_values(form)),
                ("with other values", _changed_data(form)),
            ):
                yield Further(f"{action} {about} {kind}", partial(_send, url, action, form_data))


def _values(about: str) -> list[str]:
    return [part.partition("=")[2] for part in about.split("&")]


def _pages_around(goal: Goal, done: Walker) -> Iterator[Walker]:
    """Yield pages on which the goal could be undone: the last page, the evidence, their links, and others."""
    walker = done.fork()
    pages = [done.url, *goal.paths(done.changes()).values()]
    for page in pages[:]:
        walker.get(page)
        pages += [urljoin(walker.url, link) for link in strings(walker.page, "//main//a/@href")][:12]
    for page in dict.fromkeys(pages):
        walker.get(page)
        yield walker
    yield from crawl(walker, limit=PAGES, most=3)


def _present_values(form: HtmlElement) -> "MultiDict[str, str]":
    return MultiDict(submission(form))


def _changed_data(form: HtmlElement) -> "MultiDict[str, str]":
    """Return the data that a form sends after every field has been changed."""
    form_data = _present_values(form)
    secret = _OTHER_TEXTS["password"]
    for field in elements(form, ".//input[@name] | .//select[@name] | .//textarea[@name]"):
        name, kind = field.get("name"), field.get("type", "text")
        if kind == "hidden":
            continue
        if field.tag == "select":
            others = [
                option.get("value")
                for option in field.iter("option")
                if option.get("value") not in ("", form_data.get(name), None)
            ]
            if others:
                form_data.setlist(name, others[:1])
        elif kind == "checkbox":
            form_data.setlist(name, [] if field.get("checked") is not None else [field.get("value") or "1"])
        elif kind == "date":
            # An empty field gets a day in the future of every world.
            day = date.fromisoformat(form_data[name] or "2031-05-05")
            form_data.setlist(name, [(day + timedelta(days=1)).isoformat()])
        elif field.get("placeholder") == "hh:mm":
            later_moment = datetime.fromisoformat(f"2025-01-01T{form_data[name] or '11:00'}") + timedelta(minutes=5)
            form_data.setlist(name, [later_moment.strftime("%H:%M")])
        else:
            form_data.setlist(name, [secret if kind == "password" else _OTHER_TEXTS.get(kind, "Something 12345")])
    return form_data


def _send(url: str, action: str, form_data: "MultiDict[str, str]", done: Walker) -> None:
    """Send a form of a page with the token of the current session."""
    done.get(url)
    form_data = form_data.copy()
    done.renew_token(form_data)
    done.post(urljoin(url, action), form_data)
