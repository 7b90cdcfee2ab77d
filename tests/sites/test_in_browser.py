"""A site's pages in a browser: no wider than the window, without errors, and without foreign requests."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.waited import Looks
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.runner.verify.crawling import one_of_each_kind
from stressweb.runner.verify.pages import visitors
from stressweb.runner.world.world import EpisodeWorld, World
from stressweb.sites import kit
from stressweb.sites.kit.wording.dates import minutes
from stressweb.walking.walker import Walker
from tests.support.crawling import SITES, site

type Visit = Callable[[EpisodeWorld], Page]


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [0, 2, 3])
@pytest.mark.parametrize("name", SITES)
def test_a_page_fits_the_window_and_fetches_nothing_from_elsewhere(
    world: World, browser: Browser, name: str, seed: int
) -> None:
    site_world = site(name, seed)
    looks = Looks(browser, world, axe="")
    for person in visitors([task.goal(site_world) for task in kit.tasks(name)])[:2]:
        assert [*looks.wrong_pages(site_world, person, one_of_each_kind(Walker(site_world, person)))] == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [0, 5])
def test_the_agenda_is_drawn_by_its_script(world: World, visit: Visit, seed: int) -> None:
    (clean,) = parse("clean", MODES)
    site_world = site("calendar", seed)
    episode = world.open(site_world, clean, Seeds(seed, 0, "calendar/x"))
    page = visit(episode)
    page.goto(f"http://{site_world.host}/agenda")
    ahead = [row for row in site_world.entities["Occasion"] if 0 <= row.ahead < 14]
    items = page.locator("article[itemtype='https://schema.org/Event']")
    expect(items).to_have_count(len(ahead))
    names = page.locator("article [itemprop=name]").all_inner_texts()
    assert sorted(names) == sorted(row.title for row in ahead)
    starts = page.locator("article time[itemprop=startDate]")
    start_times = [starts.nth(i).get_attribute("datetime") for i in range(len(ahead))]
    assert start_times == sorted(f"{row.day}T{row.start}" for row in ahead)
    days = page.locator("main h2").all_inner_texts()
    assert days == list(dict.fromkeys(row.said for row in sorted(ahead, key=lambda row: row.day)))
    page.get_by_role("link", name=ahead[0].title, exact=True).click()
    page.wait_for_url(f"http://{site_world.host}/event/{ahead[0].id}")
    page.goto(f"http://{site_world.host}/agenda?from=2030-01-01")
    expect(page.get_by_text(site_world.labels["empty_agenda"])).to_be_visible()
    assert not episode.faults()
    episode.close()


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [0, 3, 4, 7, 9])
def test_the_centre_of_every_event_is_its_link(world: World, visit: Visit, seed: int) -> None:
    (clean,) = parse("clean", MODES)
    site_world = site("calendar", seed)
    episode = world.open(site_world, clean, Seeds(seed, 0, "calendar/x"))
    page = visit(episode)
    # The days with the least room: with two events at once, and with a short one.
    rows = site_world.entities["Occasion"]
    days = {next(row.day for row in rows if row.clashes and row.ahead > 0)}
    days.add(next(row.day for row in rows if minutes(row.end) - minutes(row.start) == 30 and row.ahead > 0))
    for path in (f"{kind}/{day[:7] if kind == 'month' else day}" for day in days for kind in ("month", "week", "day")):
        page.goto(f"http://{site_world.host}/{path}")
        covered = page.evaluate(
            "[...document.querySelectorAll('[itemprop=url]')].filter(link => {"
            " link.scrollIntoView({ block: 'center', behavior: 'instant' }); const box = link.getBoundingClientRect();"
            " const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);"
            " return !link.contains(hit) || box.height < 16 || box.width < 30 }).map(link => link.textContent)"
        )
        assert not covered, path
    episode.close()


def test_a_title_is_a_text_and_never_markup(world: World, visit: Visit) -> None:
    (clean,) = parse("clean", MODES)
    site_world = site("calendar", 0)
    episode = world.open(site_world, clean, Seeds(0, 0, "calendar/x"))
    page = visit(episode)
    title = "<img src=x onerror=document.title='broken'>"
    page.goto(f"http://{site_world.host}/new")
    page.get_by_label(site_world.labels["title"], exact=True).fill(title)
    page.get_by_label(site_world.labels["category"], exact=True).select_option(index=1)
    page.get_by_role("button", name=site_world.labels["create_event"], exact=True).click()
    for path in ("", "agenda", f"day/{site_world.start:%Y-%m-%d}", "batch", "search?q=img"):
        page.goto(f"http://{site_world.host}/{path}")
        expect(page.get_by_text(title, exact=True).first).to_be_visible()
        assert not page.locator("img[src=x]").count()
    episode.close()
