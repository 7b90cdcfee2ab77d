"""A virtual list shows what a full list would show at every scroll position, and holds few more rows."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support.crawling import site, visitor

type Visit = Callable[[EpisodeWorld], Page]

ROWS = "main [role=listitem][aria-setsize]"
# The rows in the window, from top to bottom, and the number of rows on the page.
SEEN = """() => {
  const rows = [...document.querySelectorAll("main [role=listitem][aria-setsize]")];
  const inSight = rows.filter((row) => {
    const box = row.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
  });
  const list = rows[0].closest("[data-virtual]").getBoundingClientRect();
  const sum = inSight.reduce((all, row) => {
    const box = row.getBoundingClientRect();
    return all + Math.min(innerHeight, box.bottom) - Math.max(0, box.top);
  }, 0);
  return {
    places: rows.map((row) => Number(row.getAttribute("aria-posinset"))),
    seen: inSight.map((row) => Number(row.getAttribute("aria-posinset"))),
    names: inSight.map((row) => row.querySelector("[itemprop=name]").innerText),
    uncovered: Math.max(0, Math.min(innerHeight, list.bottom) - Math.max(0, list.top)) - sum,
    heights: [...new Set(rows.map((row) => row.offsetHeight))],
    page: document.documentElement.scrollHeight,
  };
}"""


def friends(site_world: Any) -> list[str]:
    return sorted(member.name for member in site_world.entities["Member"] if member.link == "linked")


def scrolled(page: Page, top: float) -> dict[str, Any]:
    page.evaluate(
        "(top) => new Promise((done) => { scrollTo(0, top); requestAnimationFrame(() => setTimeout(done)); })", top
    )
    return dict(page.evaluate(SEEN))


def opened(world: World, visit: Visit, condition: str, seed: int = 0) -> tuple[EpisodeWorld, Page, list[str]]:
    (parsed,) = parse(condition, MODES)
    site_world = site("network", seed)
    episode = world.open(site_world, parsed, Seeds(seed, 0, "network/x"))
    page = visit(episode)
    page.goto(f"http://{site_world.host}/connections")
    expect(page.locator(ROWS).first).to_be_visible()
    return episode, page, friends(site_world)


@pytest.mark.sample(1)
@pytest.mark.parametrize("wide", [1280, 390])
def test_what_is_in_sight_is_there_wherever_the_page_is_scrolled_to(world: World, visit: Visit, wide: int) -> None:
    episode, page, names = opened(world, visit, "clean")
    page.set_viewport_size({"width": wide, "height": 800})
    rows_shown = scrolled(page, 0)
    assert len(rows_shown["heights"]) == 1, "all rows have one height"
    page_height = rows_shown["page"]
    all_names: set[str] = set()
    for top in [0, 130, 1500, 1501, page_height, 3000, 2999, page_height / 2, 0]:
        rows_shown = scrolled(page, top)
        assert rows_shown["page"] == page_height
        assert rows_shown["uncovered"] < 2
        assert len(rows_shown["places"]) <= 60 < len(names)
        assert rows_shown["places"] == list(range(rows_shown["places"][0], rows_shown["places"][-1] + 1))
        assert rows_shown["names"] == [names[place - 1] for place in rows_shown["seen"]]
    for i in range(int(page_height / 400)):
        all_names.update(scrolled(page, 400 * i)["names"])
    assert all_names == set(names)
    assert not episode.faults()
    episode.close()


def test_what_is_asked_for_is_drawn_anew_and_links_of_late_rows_work(world: World, visit: Visit) -> None:
    episode, page, names = opened(world, visit, "clean")
    labels = site("network", 0).labels
    scrolled(page, page.evaluate("document.documentElement.scrollHeight"))
    page.locator(ROWS).last.get_by_role("link", name=names[-1], exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(names[-1])
    page.go_back()
    expect(page.locator(ROWS).last).to_be_visible()
    page.get_by_label(labels["name_words"], exact=True).fill(names[40])
    page.get_by_role("button", name=labels["find_people"], exact=True).click()
    expect(page.locator(ROWS)).to_have_count(1)
    assert page.locator(ROWS).locator("[itemprop=name]").inner_text() == names[40]
    assert not episode.faults()
    episode.close()


@pytest.mark.sample(1)
@pytest.mark.parametrize("condition", ["noise@5", "chaos@5", "remap@5", "failure@5+noise@5+chaos@5"])
def test_what_modes_add_to_rows_goes_and_comes_with_them(world: World, visit: Visit, condition: str) -> None:
    episode, page, _ = opened(world, visit, condition)
    count = "document.querySelectorAll('main *').length"
    # By then noise has changed the page.
    page.wait_for_timeout(3000)
    for top in [600, 0]:
        scrolled(page, top)
    page.wait_for_timeout(300)
    first = page.evaluate(count)
    for top in [2000, 0, 4000, 900, 6000, 0]:
        scrolled(page, top)
        page.wait_for_timeout(100)
    assert page.evaluate(count) == first
    # The same rows as on the undisturbed page.
    assert scrolled(page, 0)["places"] == list(range(1, 37))
    assert not episode.faults()
    episode.close()


def test_without_scripts_all_rows_are_there() -> None:
    walker = visitor("network", 0)
    walker.get("/connections")
    assert [row.text_content() for row in walker.page.xpath("//*[@aria-setsize]//*[@itemprop='name']")] == friends(
        walker.world
    )
