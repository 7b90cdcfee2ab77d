"""Suggestions below a field: matching ones, by keyboard and by mouse, and none is forced on the user."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support.crawling import site

type Visit = Callable[[EpisodeWorld], Page]


@pytest.fixture
def page(world: World, visit: Visit) -> Page:
    (clean,) = parse("clean", MODES)
    return visit(world.open(site("network", 0), clean, Seeds(0, 0, "network/x")))


def test_arrows_and_enter_take_a_suggestion(page: Page) -> None:
    site_world = site("network", 0)
    friend = site_world.entities["Friend"][0]
    page.goto(f"http://{site_world.host}/messages/new")
    field = page.get_by_role("combobox", name=site_world.labels["send_to"], exact=True)
    options = page.locator("main").get_by_role("option")
    field.press_sequentially(friend.name[:3])
    expect(options.first).to_be_visible()
    assert field.get_attribute("aria-expanded") == "true"
    assert 1 <= options.count() <= 7
    typed = friend.name[:3].casefold()
    for text in options.all_inner_texts():
        assert any(word.startswith(typed) for word in text.casefold().split())
    first = options.first.inner_text()
    field.press("ArrowDown")
    assert field.get_attribute("aria-activedescendant") == options.first.get_attribute("id")
    field.press("Enter")
    expect(field).to_have_value(first)
    expect(options).to_have_count(0)
    assert field.get_attribute("aria-expanded") == "false"


def test_escape_and_leaving_close_the_list(page: Page) -> None:
    site_world = site("network", 0)
    page.goto(f"http://{site_world.host}/jobs")
    field = page.get_by_role("combobox", name=site_world.labels["job_words"], exact=True)
    options = page.locator("main").get_by_role("listbox").get_by_role("option")
    title = site_world.entities["Job"][0].title
    field.press_sequentially(title[:4])
    expect(options.first).to_be_visible()
    field.press("Escape")
    expect(options).to_have_count(0)
    expect(field).to_have_value(title[:4])
    field.press_sequentially(title[4])
    expect(options.first).to_be_visible()
    page.get_by_role("button", name=site_world.labels["find_jobs"], exact=True).focus()
    expect(options).to_have_count(0)


def test_a_suggestion_of_the_search_is_searched_for(page: Page) -> None:
    site_world = site("network", 0)
    friend = site_world.entities["Friend"][3]
    field = page.locator("#site-search")
    field.fill(friend.name)
    page.get_by_role("option", name=friend.name, exact=True).click()
    page.wait_for_url("**/search?q=*")
    expect(page.locator("main").get_by_role("link", name=friend.name, exact=True).first).to_be_visible()
    # Enter without a choice searches for what was typed.
    field = page.locator("#site-search")
    field.fill(friend.first)
    expect(page.get_by_role("option").first).to_be_visible()
    field.press("Enter")
    page.wait_for_url(f"**/search?q={friend.first}")


def test_what_is_written_in_full_gets_no_offer(page: Page) -> None:
    page.goto(f"{page.url.rstrip('/')}/jobs")
    field = page.locator("main [data-suggests]").first
    role = site("network", 0).entities["Job"][0].title
    field.fill(role[:-1])
    expect(page.get_by_role("option", name=role, exact=True)).to_be_visible()
    with page.expect_response("**/suggest/roles*"):
        field.fill(role)
    expect(field).to_have_attribute("aria-expanded", "false")
    page.locator("main form:has([data-suggests]) button[type=submit]").first.click()
    page.wait_for_url("**/jobs?*")
