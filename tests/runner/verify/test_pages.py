"""Defects of pages are found, in the document and in a browser; a valid site has no finding."""

from typing import Any

import pytest
from playwright.sync_api import Browser

from scripts.waited import Looks
from stressweb.runner.verify.crawling import crawl, one_of_each_kind
from stressweb.runner.verify.in_browser import axe
from stressweb.runner.verify.pages import visitors, wrong_pages
from stressweb.runner.world.world import World
from stressweb.sites.kit import KitSite
from stressweb.walking.walker import BrokenError, Walker
from tests.runner.verify.altered_site import AlteredSite
from tests.runner.verify.demo_site import Break

MODEL = '''
from typing import Literal

from stressweb.sites.kit import Widget


class Raw(Widget):
    """Markup as it is."""

    widget: Literal["raw"]
'''
LOOK_LOGIC = '''

def seen(visit: Visit) -> None:
    """Count a look as a loan."""
    visit.store.put("Loan", {"id": visit.store.now, "tool": visit.store.where("Tool", {})[0].id})
'''
LOANS = "  loans:\n    widgets:\n"


def raw(markup: str) -> tuple[tuple[str, str, str], ...]:
    """Return the changes that add raw markup to the page of the loans."""
    macro = "{% macro raw(visit, w, it) %}" + markup + "{% endmacro %}"
    return (
        ("widgets/raw/model.py", "", MODEL),
        ("widgets/raw/template.html", "", macro),
        ("site.yaml", LOANS, f"{LOANS}      - {{widget: raw}}\n"),
    )


def problems(site: KitSite) -> list[tuple[str, str]]:
    return world_problems(site.world(0))


def world_problems(world: Any) -> list[tuple[str, str]]:
    return [*wrong_pages(Walker(world))]


def test_a_valid_site_has_no_finding(broken: Break) -> None:
    assert problems(broken()) == []


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("changes", "where", "says"),
    [
        ((("site.yaml", "links: {new_tool: /tools/new}", "links: {new_tool: /tools/old}"),), "/tools/old", "has status 404; / links to it"),
        ((("site.yaml", LOANS, "  loans:\n    load: seen\n    widgets:\n"), ("logic.py", "", LOOK_LOGIC)), "/loans", "opening the page changes the database"),
        (raw('<form method="post" action="/borrow"><button type="submit">Go</button></form>'), "/loans", "has a form without a token: /borrow"),
        (raw('<form method="post" action="/borrow"><input type="hidden" name="csrf_token" value="1"></form>'), "/loans", "has a form without a button: /borrow"),
        (raw('<img alt="" src="https://pictures.test/one.png">'), "/loans", "has a foreign address: https://pictures.test/one.png"),
        (raw('<i id="twin"></i><i id="twin"></i>'), "/loans", "has the id 'twin' twice"),
        (raw('<label for="none">Name</label>'), "/loans", "has a label for 'none', which does not exist"),
        (raw('<button type="button"></button>'), "/loans", "has a control without a name: <button"),
        (raw("<h1>Twice</h1>"), "/loans", "has 2 h1 elements; a page has one"),
        (raw("<span><div>Block</div></span>"), "/loans", "has invalid nesting, which a browser changes"),
    ],
)  # fmt: skip
def test_defects_of_a_document_are_found(
    broken: Break, changes: tuple[tuple[str, str, str], ...], where: str, says: str
) -> None:
    defects = problems(broken(*changes))
    assert any(path == where and says in what for path, what in defects), defects


def test_a_form_that_needs_no_token_is_found(broken: Break) -> None:
    world = broken().world(0)
    # Every form is sent with the token of the only session.
    pages = [place.page for place in crawl(Walker(world), limit=20)]
    (token,) = {box.get("value") for page in pages for box in page.xpath("//input[@name='csrf_token']")}
    assert {what for _, what in world_problems(AlteredSite(world, lambda fields: {**fields, "csrf_token": token}))} == {
        f"the form of {path} changes the database without its token" for path in ("/borrow", "/give-back")
    }


def test_a_page_that_breaks_is_named(broken: Break) -> None:
    site = broken(
        ("site.yaml", LOANS, "  loans:\n    load: seen\n    widgets:\n"),
        ("logic.py", "", LOOK_LOGIC + "    raise LookupError\n"),
    )
    with pytest.raises(BrokenError, match=r"^GET /loans: LookupError"):
        problems(site)


def defects_in_browser(site: KitSite, world: World, browser: Browser) -> list[tuple[str, str]]:
    site_world = site.world(0)
    return [*Looks(browser, world, axe()).wrong_pages(site_world, "", one_of_each_kind(Walker(site_world)))]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("markup", "says"),
    [
        ("", ""),
        ('<div style="width: 3000px">Wide</div>', "pixels wide in a window of 1280"),
        ('<img alt="" src="/no/picture.png"><script nonce="x">1</script>', "error on the console: "),
        ('<div style="overflow: hidden"><button type="button" style="margin-left: 1300px">Far away</button></div>', "has a control that is not visible: <button"),
        ('<button type="button" popovertarget="fold">More</button><div id="fold" popover><a href="/">Home</a></div>', ""),
        ('<button type="button" style="display: none" popovertarget="fold">More</button><div id="fold" popover></div>', "has a control that is not visible: <button"),
        ('<p style="color: #ddd; background: #fff">Hard to read</p>', "axe: "),
        ('<img alt="" src="http://elsewhere.test/one.png">', "from elsewhere.test"),
    ],
)  # fmt: skip
def test_defects_in_a_browser_are_found(broken: Break, world: World, browser: Browser, markup: str, says: str) -> None:
    defects = defects_in_browser(broken(*(raw(markup) if markup else ())), world, browser)
    assert (defects == []) if not says else any(says in what for _, what in defects), defects


def test_axe_is_available() -> None:
    assert axe().startswith("/*! axe v")


def test_a_site_is_checked_as_every_user_of_its_goals(broken: Break) -> None:
    site = broken()
    assert visitors(task.goal(site.world(0)) for task in site.tasks()) == [""]
