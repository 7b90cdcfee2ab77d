"""Pages that a script draws from JSON have the content that the site wrote, and the browser keeps its document."""

import json
from collections.abc import Callable
from pathlib import Path

import lxml.html
import pytest
from playwright.sync_api import Page, expect
from werkzeug.test import Client

from scripts.waited import Observer, settle
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.core.errors import UserError
from stressweb.html.accessible_name import Names, role
from stressweb.html.page_tree import PAGE_TYPE
from stressweb.perturbations import MODES
from stressweb.plugins.site_world import DATABASE
from stressweb.runner.world.world import EpisodeWorld, World
from stressweb.sites import kit
from stressweb.walking.walker import Walker
from tests.sites.kit.tiny_site import SPEC, tiny
from tests.support.crawling import site, visitor

type Visit = Callable[[EpisodeWorld], Page]
type Contents = tuple[list[tuple[str, str]], list[tuple[str, str]], list[str]]

DRAWN = ("mail", "network", "ride")
PAGES = {
    "mail": ["/contacts", "/t/+Thread 0", "/t/+Thread 3", "/compose"],
    "network": ["/topics", "/post/+Post 0", "/jobs/+Job 0", "/profile", "/messages"],
    "ride": ["/places", "/rides", "/wallet", "/place/+Place 0", "/nowhere"],
}
"""Paths of a few pages of each site; after `+`, the entity and number of the row whose key ends the path."""
_READY = "main:not([aria-busy])"
_FILLED = ("combobox", "searchbox", "textbox", "listbox", "option")
"""Roles of fields that a script may have replaced by another kind of field."""


def opened(world: World, visit: Visit, name: str, path: str = "/") -> tuple[EpisodeWorld, Page]:
    """Open a page of a site in a browser, and wait until it is drawn."""
    (clean,) = parse("clean", MODES)
    site_world = site(name, 0)
    episode = world.open(site_world, clean, Seeds(0, 0, f"{name}/x"))
    page = visit(episode)
    if path != "/":
        page.goto(f"http://{site_world.host}{path}")
    expect(page.locator(_READY)).to_be_attached()
    return episode, page


def contents(html: str) -> Contents:
    """Return the content of a document: roles with names, properties with values, and the kinds of items."""
    page: lxml.html.HtmlElement = lxml.html.document_fromstring(html)
    names = Names(page)
    elements = [element for element in page.iter() if isinstance(element.tag, str)]
    named_controls = [
        (role(element), names.name(element)) for element in elements if role(element) and role(element) not in _FILLED
    ]
    props = [
        (element.get("itemprop"), element.get("content") or names.text(element))
        for element in elements
        if element.get("itemprop")
    ]
    return named_controls, props, [element.get("itemtype") for element in elements if element.get("itemtype")]


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", DRAWN)
def test_the_browser_draws_what_the_walker_reads(world: World, visit: Visit, name: str) -> None:
    site_world = site(name, 0)
    episode, page = opened(world, visit, name)
    observer = Observer()
    for pattern in PAGES[name]:
        start, _, row = pattern.partition("+")
        entity, _, number = row.partition(" ")
        path = start + (site_world.entities[entity][int(number)].id if entity else "")
        walker = Walker(site_world)
        walker.get(path)
        page.goto(f"http://{site_world.host}{path}")
        expect(page.locator(_READY)).to_be_attached()
        settle(page, episode)
        drawn, read = contents(observer.read(page).html), contents(walker.seen[-1][1])
        assert drawn == read, path
        assert len(drawn[0]) > 10
    assert not episode.faults()
    episode.close()


def test_links_back_and_forms_stay_in_one_document(world: World, visit: Visit) -> None:
    episode, page = opened(world, visit, "network")
    labels = site("network", 0).labels
    page.evaluate("window.marked = 1")
    link = page.get_by_role("link", name=labels["link_topics"], exact=True)
    link.scroll_into_view_if_needed()
    left_at = page.evaluate("scrollY")
    link.click()
    expect(page).to_have_url(f"{episode.start_url}topics")
    expect(page.locator("h1")).to_have_text(labels["title_topics"])
    assert page.evaluate("scrollY") == 0 < left_at
    assert page.title().startswith(labels["title_topics"])
    # A screen reader continues at the beginning of the new page.
    assert page.evaluate("document.activeElement.localName") == "main"
    page.go_back()
    expect(page.locator("h1")).to_have_text(labels["title_home"])
    assert page.evaluate("scrollY") == left_at
    page.goto(f"{episode.start_url}settings")
    page.evaluate("window.marked = 1")
    page.get_by_role("button", name=labels["save_settings"], exact=True).click()
    expect(page.get_by_role("status").filter(has_text=labels["did_save"])).to_be_visible()
    page.locator("#site-search").fill("a")
    page.locator("#site-search").press("Enter")
    expect(page).to_have_url(f"{episode.start_url}search?q=a")
    assert page.evaluate("window.marked") == 1
    assert not episode.faults()
    episode.close()


def test_what_says_the_same_stays_and_what_was_typed_goes(world: World, visit: Visit) -> None:
    episode, page = opened(world, visit, "ride")
    labels = site("ride", 0).labels
    header, brand = (page.locator(selector).element_handle() for selector in ("header", "header .navbar-brand"))
    page.get_by_role("searchbox").fill("something")
    page.get_by_role("link", name=labels["link_places"], exact=True).click()
    expect(page).to_have_url(f"{episode.start_url}places")
    expect(page.locator(_READY)).to_be_attached()
    assert header.evaluate("node => node.isConnected")
    assert brand.evaluate("node => node.isConnected")
    assert page.get_by_role("searchbox").input_value() == ""
    episode.close()


def test_a_refused_form_says_what_is_wrong_with_what_was_typed(world: World, visit: Visit) -> None:
    episode, page = opened(world, visit, "mail", "/contacts/new")
    labels = site("mail", 0).labels
    page.evaluate("window.marked = 1")
    page.get_by_label(labels["contact_email"], exact=True).fill("nobody")
    page.get_by_role("button", name=labels["add_contact"], exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label(labels["contact_email"], exact=True)).to_have_value("nobody")
    expect(page.locator("[aria-invalid]").first).to_be_visible()
    assert page.evaluate("window.marked") == 1
    episode.close()


def test_a_page_that_cannot_be_had_can_be_opened_again(world: World, visit: Visit) -> None:
    episode, page = opened(world, visit, "network")
    labels = site("network", 0).labels
    page.route("**/topics", lambda route: route.abort())
    page.get_by_role("link", name=labels["link_topics"], exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text(labels["page_failed"])
    expect(page).to_have_url(f"{episode.start_url}topics")
    page.unroute("**/topics")
    page.get_by_role("button", name=labels["open_again"], exact=True).click()
    expect(page.locator("h1")).to_have_text(labels["title_topics"])
    expect(page.get_by_role("alert")).to_have_count(0)
    episode.close()


def test_a_form_that_cannot_be_sent_keeps_what_was_typed(world: World, visit: Visit) -> None:
    episode, page = opened(world, visit, "mail", "/contacts/new")
    labels = site("mail", 0).labels
    page.route("**/*", lambda route: route.abort() if route.request.method == "POST" else route.fallback())
    page.get_by_label(labels["contact_email"], exact=True).fill("a@b.example")
    page.get_by_role("button", name=labels["add_contact"], exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text(labels["sending_failed"])
    expect(page.get_by_label(labels["contact_email"], exact=True)).to_have_value("a@b.example")
    episode.close()


def test_an_answer_without_content_leaves_the_page_as_it_is(world: World, visit: Visit) -> None:
    episode, page = opened(world, visit, "mail", "/contacts/new")
    labels = site("mail", 0).labels
    page.route("**/*", lambda route: route.fulfill(status=204) if route.request.method == "POST" else route.fallback())
    page.get_by_label(labels["contact_email"], exact=True).fill("a@b.example")
    # A second answer comes only if the first one left the form where it is.
    for _ in range(2):
        with page.expect_response(lambda response: response.status == 204):
            page.get_by_role("button", name=labels["add_contact"], exact=True).click()
        expect(page.locator(_READY)).to_be_attached()
    expect(page.get_by_label(labels["contact_email"], exact=True)).to_have_value("a@b.example")
    expect(page.get_by_role("alert")).to_have_count(0)
    episode.close()


def test_blocks_of_a_ride_have_roots_and_texts_of_mails_frames(world: World, visit: Visit) -> None:
    ride, page = opened(world, visit, "ride")
    assert page.locator("main > page-block").count() > 2
    assert page.evaluate("[...document.querySelectorAll('page-block')].every(one => one.shadowRoot)")
    assert page.evaluate("!document.querySelector('main form, main article')")
    ride.close()
    # Several mails, of which the last is open.
    thread = next(letter for letter in site("mail", 0).entities["Letter"] if letter.mails > 1)
    mail, page = opened(world, visit, "mail", f"/t/{thread.id}")
    frames, frame_locator = page.locator("iframe"), page.frame_locator("iframe")
    assert frames.count() > 1
    expect(frame_locator.first.locator("[itemprop=text]")).to_be_hidden()
    page.locator("summary.kit-head").first.click()
    for frame, text in ((frames.first, frame_locator.first), (frames.last, frame_locator.last)):
        expect(text.locator("[itemprop=text]")).to_be_visible()
        high = text.locator("html").evaluate("root => root.offsetHeight")
        expect(frame).to_have_css("height", f"{high}px")
    mail.close()


@pytest.mark.parametrize("name", DRAWN)
def test_the_shell_uses_up_nothing_and_holds_nothing(name: str) -> None:
    walker = visitor(name, 0)
    site_world = walker.world
    base = f"http://{site_world.host}/"
    request_options = {"base_url": base, "environ_base": {DATABASE: walker.database}}
    client: Client = walker.client
    token = walker.page.xpath("//input[@name='csrf_token']/@value")[0]
    action = kit.load(name, 0).spec.frame.banner
    path = kit.load(name, 0).spec.actions[action].path
    client.post(path, data={"csrf_token": "wrong", "back": "/"}, **request_options)
    shells = {client.get(path, **request_options).get_data() for path in ("/", "/search?q=a")}
    assert len(shells) == 1
    shell = shells.pop().decode()
    assert token not in shell
    assert "<h1" not in shell
    # The messages of the refused form are still there.
    answer = client.get("/", headers={"Accept": PAGE_TYPE}, **request_options)
    assert answer.mimetype == PAGE_TYPE
    assert json.dumps(site_world.labels["error_token"])[1:-1] in answer.get_data(as_text=True)
    missing = client.get("/nowhere", headers={"Accept": PAGE_TYPE}, **request_options)
    assert (missing.status_code, missing.mimetype) == (404, PAGE_TYPE)
    assert client.get("/nowhere", **request_options).status_code == 404


def test_roots_without_a_script_are_refused(tmp_path: Path) -> None:
    spec = SPEC.replace("{name: tiny_name}", "{name: tiny_name, shadow_roots: true}")
    with pytest.raises(UserError, match=r"site\.yaml:5: frame.*shadow_roots needs rendering: browser"):
        tiny(tmp_path, spec).world(0)
