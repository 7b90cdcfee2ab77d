"""First pages look like those of a product: tools stand back until they have rows, and a phone shows several offers."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.runner.world.world import EpisodeWorld, World
from stressweb.sites.kit.look import faces
from tests.support.crawling import site

type Visit = Callable[..., Page]

PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 900}


def opened(world: World, visit: Visit, name: str, seed: int, size: ViewportSize) -> tuple[EpisodeWorld, Page]:
    (clean,) = parse("clean", MODES)
    episode = world.open(site(name, seed), clean, Seeds(seed, 0, f"{name}/x"))
    page = visit(episode, lambda page: page.set_viewport_size(size))
    page.locator("main:not([aria-busy]) h1").wait_for(state="attached")
    return episode, page


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(("name", "least"), [("shop", 2), ("food", 6), ("reservation", 2)])
def test_a_phone_shows_several_offers_at_once(world: World, visit: Visit, name: str, least: int, seed: int) -> None:
    episode, page = opened(world, visit, name, seed, PHONE)
    bottoms = page.locator("main article img").evaluate_all(
        "pictures => pictures.map(picture => picture.getBoundingClientRect().bottom)"
    )
    assert len([bottom for bottom in bottoms if bottom <= PHONE["height"]]) >= least
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    episode.close()


@pytest.mark.parametrize("seed", [3, 6, 11])
def test_restaurants_begin_in_the_first_half_of_a_wide_window(world: World, visit: Visit, seed: int) -> None:
    episode, page = opened(world, visit, "reservation", seed, DESK)
    tops = page.locator("main article").evaluate_all("cards => cards.map(card => card.getBoundingClientRect().top)")
    assert len([top for top in tops if top <= 400]) >= 3
    episode.close()


# Before, a link to a form for the shown date had the loudest colour as well.
@pytest.mark.parametrize("seed", [3, 6, 11])
def test_the_calendar_has_a_single_loud_button(world: World, visit: Visit, seed: int) -> None:
    episode, page = opened(world, visit, "calendar", seed, DESK)
    loud = page.locator("a.btn, button.btn").and_(page.locator(".btn-primary, .btn-success, .btn-dark, .btn-info"))
    expect(loud).to_have_count(1)
    expect(loud).to_have_class(re.compile("kit-primary"))
    episode.close()


@pytest.mark.parametrize("seed", [0, 3])
def test_tools_stand_back_until_a_row_is_ticked(world: World, visit: Visit, seed: int) -> None:
    episode, page = opened(world, visit, "mail", seed, DESK)
    # Without it, colours change slowly.
    page.emulate_media(reduced_motion="reduce")
    tools = page.locator("main form button.kit-tool")
    colours = "tools => tools.map(tool => getComputedStyle(tool).color + getComputedStyle(tool).backgroundColor)"
    muted = tools.evaluate_all(colours)
    assert len(set(muted)) == 1
    assert not page.locator("main form button:disabled").count()
    page.locator(".kit-tick [type=checkbox]").first.check()
    assert set(tools.evaluate_all(colours)).isdisjoint(muted)
    page.locator(".kit-tick [type=checkbox]").first.uncheck()
    assert tools.evaluate_all(colours) == muted
    episode.close()


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_a_phone_has_the_buttons_above_a_mailbox_in_one_row(world: World, visit: Visit, seed: int) -> None:
    episode, page = opened(world, visit, "mail", seed, PHONE)
    labels = site("mail", seed).labels
    buttons = [page.get_by_role("button", name=labels[label], exact=True) for label in ("open_filters", "open_tools")]
    tops = [button.evaluate("button => button.getBoundingClientRect().top") for button in buttons]
    assert tops[0] == tops[1]
    first_row = page.locator(".kit-tick").first.evaluate("row => row.getBoundingClientRect().top")
    assert first_row < tops[0] + 60
    for button in buttons:
        button.click()
        expect(page.locator(":popover-open")).to_have_count(1)
        page.keyboard.press("Escape")
    episode.close()


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_a_post_begins_in_what_looks_like_a_field_beside_one_s_face(
    world: World, visit: Visit, size: ViewportSize
) -> None:
    episode, page = opened(world, visit, "network", 3, size)
    (own,) = (member for member in site("network", 3).entities["Member"] if member.link == "me")
    opener = page.get_by_role("button", name=site("network", 3).labels["start_post"], exact=True)
    box, field = page.locator("main .kit-writes"), opener.bounding_box()
    expect(box.locator("img")).to_have_attribute("src", faces.address(own.name))
    assert field is not None
    assert field["width"] > size["width"] / 2
    opener.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    episode.close()


def test_no_time_covers_a_title_on_a_phone(world: World, visit: Visit) -> None:
    # World 2 has a conversation with a short title in its archive.
    episode, page = opened(world, visit, "mail", 2, PHONE)
    page.goto(page.url.rstrip("/") + "/archive")
    page.locator("main:not([aria-busy]) h1").wait_for(state="attached")
    covered = page.locator(".kit-tick").evaluate_all(
        """rows => rows.map(row => [".kit-name a", ".kit-when"].map(part => row.querySelector(part).getBoundingClientRect()))
          .filter(([name, time]) => name.right > time.left && name.bottom > time.top && name.top < time.bottom).length"""
    )
    assert page.locator(".kit-tick").count() > 5
    assert covered == 0
    episode.close()


@pytest.mark.parametrize("seed", [3, 8])
def test_a_file_on_a_phone_is_a_line_with_its_menu_and_a_line_of_properties(
    world: World, visit: Visit, seed: int
) -> None:
    """In world 8 a file has a long kind and a long name, in world 3 a short kind."""
    episode, page = opened(world, visit, "files", seed, PHONE)
    rows = page.locator("main .kit-row:has(> .files-kind)").evaluate_all(
        """rows => rows.map(row => {
            const box = (part) => row.querySelector(`:scope > ${part}`).getBoundingClientRect();
            return [box(".kit-name"), box(".kit-fold"), box(".files-size")].map(({ top, bottom }) => [top, bottom]);
        })"""
    )
    assert len(rows) >= 3
    for (name_top, name_bottom), (menu_top, menu_bottom), (size_top, _) in rows:
        assert menu_top < name_bottom
        assert name_top < menu_bottom
        assert size_top >= max(name_bottom, menu_bottom)
    episode.close()
