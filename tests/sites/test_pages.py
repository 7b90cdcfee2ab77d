"""Every page that a crawl reaches is complete, repeats byte for byte, and requests nothing from other hosts."""

import re
from datetime import UTC

import pytest

from stressweb.html.accessible_name import Names, role
from stressweb.runner.verify.crawling import crawl
from stressweb.runner.verify.pages import broken
from stressweb.sites import kit
from stressweb.sites.kit.look import theme
from stressweb.walking.walker import Walker
from tests.support.crawling import PERSONAS, SITES, site, visitor

pytestmark = pytest.mark.sample(10, "file")

FIELDS = ("textbox", "searchbox", "spinbutton", "combobox", "checkbox", "radio")
VISITORS = [*((name, "") for name in SITES), *PERSONAS.items(), ("shop", "regular")]
SIGNED_IN = [(name, PERSONAS.get(name, "")) for name in SITES]
KINDS = {
    "shop": {"", "c", "p", "cart", "all", "help"},
    "calendar": {"", "month", "week", "day", "agenda", "event", "new", "batch", "categories", "settings", "conflicts"},
}
"""First parts of the paths that a crawl must reach, by site."""


@pytest.mark.sample(2)
@pytest.mark.parametrize(("name", "persona"), VISITORS)
@pytest.mark.parametrize("seed", [0, 7])
def test_every_page_is_whole(name: str, persona: str, seed: int) -> None:
    paths = set()
    for visited in crawl(visitor(name, seed, persona)):
        paths.add(visited.url.split("/")[1].partition("?")[0])
        assert visited.status == 200, visited.url
        assert [*broken(visited)] == [], visited.url
        assert not visited.page.xpath("//*[@style='position']"), visited.url
    assert paths >= KINDS.get(name, {""})
    assert not persona or paths >= {"orders", "wishlist", "account"}


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("name", "persona"), SIGNED_IN)
def test_no_two_controls_say_the_same(name: str, persona: str, seed: int) -> None:
    for visited in crawl(visitor(name, seed, persona), limit=25):
        names, place = Names(visited.page), visited.page.getroottree().getpath
        leads_by_control: dict[tuple[str, str, str], str] = {}
        for element in visited.page.iter():
            control_role = role(element) if isinstance(element.tag, str) else ""
            if control_role not in ("link", "button", *FIELDS) or element.get("type") == "hidden":
                continue
            scopes = [ancestor for ancestor in element.iterancestors() if ancestor.get("itemscope") is not None]
            key = (control_role, names.name(element), place(scopes[0]) if scopes else "")
            leads = element.get("href") or place(element)
            assert leads_by_control.setdefault(key, leads) == leads, (visited.url, key)


@pytest.mark.parametrize(("name", "persona"), SIGNED_IN)
def test_pages_repeat_byte_for_byte(name: str, persona: str) -> None:
    first, second = ([visited.html for visited in crawl(visitor(name, 4, persona), limit=20)] for _ in range(2))
    assert first == second
    assert len(set(first)) == 20


@pytest.mark.parametrize("name", SITES)
def test_reading_a_page_writes_nothing_but_the_session(name: str) -> None:
    walker = visitor(name, 0)
    assert [visited.url for visited in crawl(walker, limit=20)]
    assert walker.changes().keys() <= {"session"}


@pytest.mark.parametrize("name", SITES)
def test_headers(name: str) -> None:
    world, walker = site(name, 0), visitor(name, 0)
    page = walker.fetch("/help")
    assert page.headers["Cache-Control"] == "no-store"
    assert "script-src 'self' 'nonce-" in page.headers["Content-Security-Policy"]
    assert "Set-Cookie" not in page.headers
    first = Walker(world).client.get("/", environ_base=Walker(world).environ())
    assert "SameSite=Lax" in first.headers["Set-Cookie"]
    assert "Expires" not in first.headers["Set-Cookie"]
    assert first.date == page.date == world.start.replace(tzinfo=UTC)
    assert {"Server", "Via", "X-Powered-By", "Last-Modified", "ETag"}.isdisjoint(page.headers.keys())
    for asset in (f"/assets/{world.look.theme}.css", "/assets/feed.js", "/favicon.ico"):
        asset_answer = walker.fetch(asset)
        assert asset_answer.status_code == 200
        assert asset_answer.headers["Cache-Control"].startswith("max-age")
        assert "Set-Cookie" not in asset_answer.headers
    for asset in ("/assets/none.css", "/assets/none.js", "/assets/..%2Fapp.js"):
        assert walker.fetch(asset).status_code == 404


@pytest.mark.parametrize("name", theme.THEMES)
def test_a_theme_fetches_nothing(name: str) -> None:
    sheet = theme.stylesheet(name)
    assert len(sheet) > 200_000
    assert "@import" not in sheet
    assert not re.search(r"""url\(["']?(?!["']?data:)""", sheet)


@pytest.mark.parametrize("name", SITES)
def test_every_form_needs_its_token(name: str) -> None:
    world, walker = site(name, 0), visitor(name, 0)
    for number, (action, spec) in enumerate(world.spec.actions.items(), start=1):
        walker.post(spec.path, {"csrf_token": "0" * 32})
        assert world.labels["error_token"] in walker.html, action
        assert walker.database.execute("SELECT COUNT(*) FROM event").fetchone() == (number,)
    assert walker.changes().keys() == {"event", "session"}


@pytest.mark.parametrize("name", SITES)
def test_a_form_without_its_fields_is_refused_and_never_breaks(name: str) -> None:
    world, walker = site(name, 0), visitor(name, 0)
    token = walker.page.xpath("//input[@name='csrf_token']/@value")[0]
    for action, spec in world.spec.actions.items():
        needed = [field for field in spec.fields.values() if field.required]
        if needed and not spec.signed_in:
            walker.post(spec.path, {"csrf_token": token})
            assert world.labels["error_form"] in walker.html, action
    kinds = {kind for (kind,) in walker.database.execute("SELECT DISTINCT kind FROM event")}
    assert kinds
    assert not walker.database.execute("SELECT * FROM event WHERE json_extract(detail, '$.done')").fetchall()


def test_an_unknown_path_is_a_page_of_the_site() -> None:
    for name in SITES:
        walker = visitor(name, 3)
        assert walker.get("/no/such/page").status_code == 404
        assert site(name, 3).labels["not_found"] in walker.html
        assert walker.page.xpath("//nav")


def test_a_site_in_which_nobody_signs_in_has_no_person() -> None:
    assert kit.load("calendar", 1).spec.people is None
    assert visitor("calendar", 1).database.execute("SELECT person FROM session").fetchall() == [("",)]
