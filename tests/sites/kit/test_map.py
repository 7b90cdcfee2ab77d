"""A map shows every place of a list as a link at its corner, and the names that fit."""

import re
from collections.abc import Callable
from itertools import combinations

import pytest
from playwright.sync_api import Page

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.runner.world.world import World
from stressweb.sites import kit
from stressweb.sites.kit.data.town import HEIGHT, WIDTH, town
from stressweb.sites.kit.widgets.map.model import Map
from stressweb.walking.walker import Walker
from tests.support.crawling import site

type Visit = Callable[..., Page]

SEEDS = (0, 3, 11)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_place_is_a_link_at_its_corner(seed: int) -> None:
    walker = Walker(kit.load("ride", seed))
    pins = walker.page.xpath("//a[contains(@class, 'kit-pin')]")
    places = walker.world.entities["Place"]
    assert [pin.get("href") for pin in pins] == [f"/place/{place.id}" for place in places]
    names = [pin.xpath("string(span[not(@aria-hidden)])") for pin in pins]
    assert names == [place.name for place in places]
    for pin, place in zip(pins, places, strict=True):
        left, top = map(float, re.findall(r"([\d.]+)%", pin.get("style")))
        x, y = town(seed).point(tuple(map(int, place.cell.split(","))))  # type: ignore[arg-type]
        assert (left, top) == (round(100 * x / WIDTH, 2), round(100 * y / HEIGHT, 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_almost_all_names_are_shown_and_the_others_are_heard(seed: int) -> None:
    walker = Walker(kit.load("ride", seed))
    names = walker.page.xpath("//a/span[contains(@class, 'kit-pin-name')]/@class")
    quiet = [name for name in names if "kit-pin-quiet" in name]
    assert len(quiet) <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_no_name_covers_another_one_or_a_pin(seed: int, world: World, visit: Visit) -> None:
    (clean,) = parse("clean", MODES)
    episode = world.open(site("ride", seed), clean, Seeds(seed, 0, "ride/x"), b"k" * 16)
    page = visit(episode, lambda page: page.set_viewport_size({"width": 1280, "height": 900}))
    page.locator("main:not([aria-busy]) h1").wait_for()
    boxes = page.locator(".kit-pin-dot, .kit-here-dot, .kit-pin-name:not(.kit-pin-quiet)").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) > 50
    overlapping = [
        (box, other)
        for box, other in combinations(boxes, 2)
        if min(box["right"], other["right"]) - max(box["left"], other["left"]) > 1
        and min(box["bottom"], other["bottom"]) - max(box["top"], other["top"]) > 1
    ]
    assert overlapping == []
    episode.close()


def test_a_mark_shows_where_people_are_at_a_corner_of_its_own() -> None:
    walker = Walker(kit.load("ride", 0))
    (mark,) = walker.page.xpath("//*[contains(@class, 'kit-here') and contains(@class, 'kit-pin')]")
    assert mark.tag == "span"
    assert mark.xpath("string()").strip() == walker.world.labels["you_are_here"]
    pins = walker.page.xpath("//a[contains(@class, 'kit-pin')]")
    assert mark.get("style") not in {pin.get("style") for pin in pins}
    walker.get("/places")
    assert not walker.page.xpath("//*[contains(@class, 'kit-here')]")


def test_the_drawing_is_no_part_of_what_is_heard() -> None:
    walker = Walker(kit.load("ride", 0))
    (figure,) = walker.page.xpath("//figure[contains(@class, 'kit-map')]")
    assert figure.get("aria-label") == walker.world.labels["map_of_town"]
    assert [drawing.get("aria-hidden") for drawing in figure.xpath("svg")] == ["true"]
    assert len(figure.xpath("svg/path[contains(@class, 'kit-map-bridge')]")) in (2, 3)


def test_a_route_is_drawn_from_one_place_to_the_other() -> None:
    walker = Walker(kit.load("ride", 0))
    start, end = walker.world.entities["Place"][:2]
    walker.get(f"/quote?from={start.id}&to={end.id}")
    (line,) = walker.page.xpath("//path[contains(@class, 'kit-map-route')]/@d")
    ground = town(0)
    cells = [tuple(map(int, place.cell.split(","))) for place in (start, end)]
    points = [tuple(map(int, point)) for point in re.findall(r"(\d+) (\d+)", line)]
    assert points == [ground.point(cell) for cell in ground.way(*cells)]  # type: ignore[arg-type]
    assert Map(widget="map", label="x", row="y").route == ""
