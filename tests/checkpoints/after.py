"""What a site still offers once a goal is reached: each single further thing that can be done, found on its pages."""

import copy
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement
from werkzeug.datastructures import MultiDict

from sites.kit.session import COOKIE
from stressweb.plugins.task import Goal
from tests.checkpoints.walks import walker
from tests.sites.crawling import crawl
from tests.sites.walker import Walker

TARGETS = 3
"""Forms of one action that are tried, each about something else; those that concern the goal come first."""
PAGES = 40
_OTHER_TEXTS = {"email": "somebody.else@post.test", "number": "7", "tel": "555-09-1234", "password": "another-secret"}


@dataclass(frozen=True)
class Further:
    """One further thing: what it is, and how it is done."""

    what: str
    do: Callable[[Walker], object]


def reached(goal: Goal) -> Walker:
    """Return a walker that has just reached a goal by its trajectory."""
    return walker(goal).walk(goal.ways[0])


def fork(done: Walker) -> Walker:
    """Return a walker that stands where another one stands, with a database of its own."""
    other = Walker(done.world)
    other.database.deserialize(done.database.serialize())
    cookie = done.client.get_cookie(COOKIE, domain=done.world.host)
    assert cookie is not None
    other.client.set_cookie(COOKIE, cookie.value, domain=done.world.host)
    other._seen = [*done._seen]
    other.url, other.html, other.page = done.url, done.html, copy.deepcopy(done.page)
    return other


def things(goal: Goal, done: Walker) -> Iterator[Further]:
    """Yield every single thing that can be done next: each form of each action, every kind of page, and once more."""
    last = goal.ways[0][-1]
    yield Further("the last step again", lambda it: it.get(it.url) and it.stumble((last,)))
    yield Further("the whole way again", lambda it: it.get("/") and it.stumble(goal.ways[0]))
    yield Further("the page again in a second tab", lambda it: fork(it).get(it.url))
    yield Further("the page loaded again", lambda it: it.get(it.url))
    yield from _pages(done)
    yield from _forms(goal, done)
    yield from _visits(done)


def _pages(done: Walker) -> Iterator[Further]:
    kinds: set[str] = set()
    for at in crawl(fork(done), limit=PAGES, most=2):
        kind = urlsplit(at.url).path.split("/")[1]
        if kind not in kinds:
            kinds.add(kind)
            yield Further(f"a look at {at.url}", lambda it, url=at.url: it.get(url))


def _visits(done: Walker) -> Iterator[Further]:
    """Yield signing in as each person, after signing out where somebody is signed in."""
    spec = done.world.spec  # type: ignore[attr-defined]
    # Nobody signs in where there is no page for it: there are no people, or the site knows who is here.
    if spec.people is None or not spec.people.sign_in:
        return
    for person in done.world.entities[spec.people.entity]:
        yield Further(f"signing in as {person.id}", lambda it, person=person: _sign_in(it, person))


def _sign_in(done: Walker, person: Any) -> None:
    spec = done.world.spec  # type: ignore[attr-defined]
    leave = done.page.xpath(f"//form[@action='{spec.actions['sign_out'].path}']")
    if leave:
        _send(done, "/", leave[0].get("action"), MultiDict(leave[0].form_values()))
    done.get(spec.pages[spec.people.sign_in].path)
    form = done.page.xpath(f"//form[@action='{spec.actions['sign_in'].path}']")[0]
    data = MultiDict(form.form_values())
    data.update({"email": person.id, "password": person.password})
    _send(done, done.url, form.get("action"), data)


def _forms(goal: Goal, done: Walker) -> Iterator[Further]:
    """Yield each action's forms, as they stand and with every field changed."""
    named = str(goal.params) + str(done.changes())
    found: dict[str, dict[str, tuple[str, HtmlElement, str]]] = defaultdict(dict)
    for at in _around(goal, done):
        for form in at.page.xpath("//form[@method='post']"):
            for action in [form.get("action"), *form.xpath(".//button/@formaction")]:
                about = "&".join(
                    f"{one.get('name')}={one.get('value')}" for one in form.xpath(".//input[@type='hidden']")
                )
                about = "&".join(part for part in about.split("&") if not part.startswith(("csrf_token=", "back=")))
                found[action].setdefault(about, (at.url, copy.deepcopy(form), action))
    for action, forms in sorted(found.items()):
        close = sorted(forms, key=lambda about: (not any(v and v in named for v in _values(about)), about))
        for about in [*close[:TARGETS], *close[TARGETS:][-1:]]:
            url, form, _ = forms[about]
            for kind, data in (("as it stands", _standing(form)), ("with other values", _changed(form))):
                yield Further(f"{action} {about} {kind}", lambda it, w=(url, action, data): _send(it, *w))


def _values(about: str) -> list[str]:
    return [part.partition("=")[2] for part in about.split("&")]


def _around(goal: Goal, done: Walker) -> Iterator[Walker]:
    """Yield the pages on which the goal can be undone: where it ended, its evidence, what they lead to, and others."""
    it = fork(done)
    pages = [done.url, *goal.evidence]
    for page in pages[:]:
        it.get(page)
        pages += [urljoin(it.url, link) for link in it.page.xpath("//main//a/@href")][:12]
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
    for field in form.xpath(".//input[@name] | .//select[@name] | .//textarea[@name]"):
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


def _send(done: Walker, url: str, action: str, data: "MultiDict[str, str]") -> None:
    """Send a form of a page with the token of the session that is there now."""
    done.get(url)
    tokens = done.page.xpath("//input[@name='csrf_token']/@value")
    data = data.copy()
    data.setlist("csrf_token", tokens[:1])
    done.post(urljoin(url, action), data)
