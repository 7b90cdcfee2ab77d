"""Evidence pages are the same without a browser as in one."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.cookies import SimpleCookie
from typing import Any

import pytest
from playwright.sync_api import Browser

from scripts.waited import Evidence
from stressweb.core.conditions import CLEAN
from stressweb.core.errors import InfrastructureError
from stressweb.html import canonical
from stressweb.log.recording import Cell, Shown
from stressweb.plugins.site_world import SiteWorld, now_of
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support import walks
from tests.support.toy import Toy
from tests.support.walks import TASKS
from tests.support.wrapped_site import WrappedSite

type Pages = dict[str, Shown]


@pytest.fixture(scope="module")
def evidence(browser: Browser) -> Iterator[Any]:
    reader = Evidence(browser)
    yield reader
    reader.close()


@contextmanager
def open_episode(world: World, site: SiteWorld) -> Iterator[EpisodeWorld]:
    cell = Cell(agent="none", task=f"{site.site}/evidence", condition=CLEAN.label, world=0)
    episode = world.open(site, CLEAN, cell.seeds)
    yield episode
    episode.close()


ONLY_IN_BROWSER = ("Link", "</>; rel=author")
"""A response header that changes no page, but only a browser handles it."""


@pytest.mark.sample(3)
@pytest.mark.parametrize("task", TASKS)
def test_evidence_is_the_same_without_a_browser(world: World, evidence: Any, task: str) -> None:
    goal = walks.goal(task, 0)
    site, walker = walks.world(TASKS[task].site, 0), walks.walker(goal)
    walker.walk(goal.ways[0])
    changes = walker.changes()
    paths = tuple(dict.fromkeys(goal.paths(changes).values()))

    def read(*headers: tuple[str, str]) -> Pages:
        with open_episode(world, WrappedSite(site, walker.database.serialize(), *headers)) as episode:
            pages: Pages = evidence.read(episode, paths, goal.owner(changes), now_of(site))
            assert episode.faults() == []
        return pages

    ours, theirs = read(), read(ONLY_IN_BROWSER)
    assert [*ours] == [*theirs] == [*paths]
    for path in paths:
        assert ours[path].url == theirs[path].url
        assert [*lines(ours[path])] == [*lines(theirs[path])], path


def lines(page: Shown) -> Iterator[canonical.Line]:
    return canonical.lines(canonical.site_tree(page.html))


NOW = "2026-05-04T09:00:00Z"
BODY = "<p>{path}, visit {visits}, as {user}</p>"
PLAIN = f'<!DOCTYPE html><html lang="en"><head><title>Toy</title></head><body>{BODY}</body></html>'


class Visited(Toy):
    """Counts visits in the database, sets a cookie with the last page, and redirects `/from` to `/to`."""

    def app(self, environ: Mapping[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer one request."""
        path, database = environ["PATH_INFO"], environ["stressweb.database"]
        if path == "/favicon.ico":
            start_response("404 Not Found", [])
            return [b""]
        database.execute("INSERT INTO post (path) VALUES (?)", (path,))
        database.commit()
        (visits,) = database.execute("SELECT count(*) FROM post").fetchone()
        cookie = SimpleCookie(environ.get("HTTP_COOKIE", ""))
        user, last = (cookie[name].value if name in cookie else "nobody" for name in ("user", "last"))
        cookie_header = ("Set-Cookie", f"last={path[1:] or 'home'}; HttpOnly; Path=/; SameSite=Lax")
        if path == "/from":
            start_response("303 See Other", [cookie_header, ("Location", "/to")])
            return [b""]
        start_response("200 OK", [cookie_header, *self.headers])
        return [self.page.format(path=f"{path} after {last}", visits=visits, user=user).encode()]

    def sign_in(self, database: Any, owner: str) -> dict[str, str]:
        """Return the cookies of a person."""
        return {"user": owner} if owner else {}


@pytest.mark.parametrize("owner", ["ann", ""])
def test_visits_and_cookies_are_those_of_a_browser(world: World, evidence: Any, owner: str) -> None:
    def read(*headers: tuple[str, str]) -> Pages:
        site = Visited(PLAIN)
        site.headers += headers
        with open_episode(world, site) as episode:
            pages: Pages = evidence.read(episode, ("/one", "/from", "/two"), owner, NOW)
        return pages

    ours, theirs = read(), read(ONLY_IN_BROWSER)
    user = owner or "nobody"
    texts = ["/one after nobody, visit 1", "/to after from, visit 3", "/two after to, visit 4"]
    for pages in (ours, theirs):
        assert [page.url for page in pages.values()] == [f"http://toy.test/{path}" for path in ("one", "to", "two")]
        assert [text for page in pages.values() for text in texts if f"<p>{text}, as {user}</p>" in page.html] == texts


def test_pages_without_scripts_need_no_browser(world: World, browser: Browser) -> None:
    reader = Evidence(browser)
    before = browser.contexts
    with open_episode(world, Visited(PLAIN)) as episode:
        assert "visit 1, as ann" in reader.read(episode, ("/",), "ann", NOW)["/"].html
    assert browser.contexts == before
    scripted = Visited(PLAIN.replace("<p>", "<script></script><p>"))
    with open_episode(world, scripted) as episode:
        assert "visit 1, as ann" in reader.read(episode, ("/",), "ann", NOW)["/"].html
    assert len(browser.contexts) == len(before) + 1
    reader.close()
    assert browser.contexts == before


def test_scripted_pages_are_read_in_a_fresh_browser(world: World, evidence: Any) -> None:
    drawn = "<script>document.title = 'Drawn';</script>"
    with open_episode(world, Visited(PLAIN.replace("<p>", f"{drawn}<p>"))) as episode:
        pages = evidence.read(episode, ("/", "/two"), "ann", NOW)
    assert "<title>Drawn</title>" in pages["/"].html
    assert "visit 1, as ann" in pages["/"].html
    assert "visit 2, as ann" in pages["/two"].html


def test_a_missing_evidence_page_is_infrastructure(world: World, evidence: Any) -> None:
    with open_episode(world, Visited(PLAIN)) as episode:
        world.episodes.bindings.pop(episode.evidence_port)
        with pytest.raises(InfrastructureError, match=r"evidence page http://toy\.test/: the site was not asked"):
            evidence.read(episode, ("/",), "ann", NOW)
