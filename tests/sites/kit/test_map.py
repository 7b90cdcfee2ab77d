"""A map shows every place of a list as a link at its corner, and the names that fit."""

import math
import re
from collections.abc import Callable
from itertools import combinations

import pytest
from lxml.html import tostring
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
_VISIBLE_BOXES = """nodes => nodes
  .filter(node => getComputedStyle(node).clipPath === "none")
  .map(node => ({ ...node.getBoundingClientRect().toJSON(), class: node.getAttribute("class") }))"""


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
@pytest.mark.parametrize(("width", "path"), [(1280, "/"), (390, "/"), (390, "/places")])
def test_no_name_covers_another_one_or_a_pin(width: int, path: str, seed: int, world: World, visit: Visit) -> None:
    (clean,) = parse("clean", MODES)
    episode = world.open(site("ride", seed), clean, Seeds(seed, 0, "ride/x"))
    page = visit(episode, lambda page: page.set_viewport_size({"width": width, "height": 900}))
    if path != "/":
        page.goto(page.url.rstrip("/") + path)
    page.locator("main:not([aria-busy]) h1").wait_for()
    boxes = page.locator(".kit-pin-dot, .kit-here-dot, .kit-pin-name, .kit-map text").evaluate_all(_VISIBLE_BOXES)
    # On a phone, too, places have names that people can read.
    assert sum("kit-pin-name" in box["class"] for box in boxes) >= (25 if width == 1280 else 10)
    assert all(box["right"] - box["left"] > 30 for box in boxes if "kit-pin-name" in box["class"])
    overlapping = [
        (box, other)
        for box, other in combinations(boxes, 2)
        if min(box["right"], other["right"]) - max(box["left"], other["left"]) > 1
        and min(box["bottom"], other["bottom"]) - max(box["top"], other["top"]) > 1
    ]
    assert overlapping == []
    episode.close()


@pytest.mark.parametrize(("width", "is_beside"), [(1280, True), (1000, False), (390, False)])
def test_the_next_rides_stand_beside_the_map_where_there_is_room(
    width: int, is_beside: bool, world: World, visit: Visit
) -> None:
    (clean,) = parse("clean", MODES)
    episode = world.open(site("ride", 3), clean, Seeds(3, 0, "ride/x"))
    page = visit(episode, lambda page: page.set_viewport_size({"width": width, "height": 900}))
    page.locator("main:not([aria-busy]) h1").wait_for()
    town, rides = (page.locator(name).bounding_box() for name in (".kit-with-aside", ".kit-aside"))
    assert town
    assert rides
    assert (rides["x"] > town["x"] + town["width"]) == is_beside
    assert (rides["y"] >= town["y"] + town["height"]) != is_beside
    assert rides["x"] + rides["width"] <= width
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
    assert not figure.xpath(".//text[not(ancestor::svg[@aria-hidden='true'])]")


@pytest.mark.parametrize("seed", SEEDS)
def test_every_bridge_is_drawn_and_no_other_street_reaches_the_water(seed: int) -> None:
    drawing, ground = Walker(kit.load("ride", seed)).page, town(seed)
    (lines,) = drawing.xpath("//path[@class='kit-map-bridge']/@d")
    crossings = [tuple(map(int, line)) for line in re.findall(r"M(\d+) (\d+) L(\d+) (\d+)", lines)]
    across = 0 if ground.banks[0][1] < 0 else 1
    middle = [sum(line[across::2]) / 2 for line in crossings]
    assert len(crossings) in (2, 3)
    assert all(min(abs(at - bank[across]) for bank in ground.banks) < 20 for at in middle)
    # Without blocks of its own, a bank has no gap between them through which a street could come.
    (blocks,) = drawing.xpath("//path[@class='kit-map-block']/@d")
    cells = (len({c for c, _ in ground.corners}) + 1) * (len({r for _, r in ground.corners}) + 1)
    along = cells // (len({cell[across] for cell in ground.corners}) + 1)
    assert blocks.count("M") == cells - along - 2 + len(crossings) + 1


@pytest.mark.parametrize("seed", SEEDS)
def test_streets_have_the_names_of_the_addresses_on_them(seed: int) -> None:
    walker, ground = Walker(kit.load("ride", seed)), town(seed)
    texts = walker.page.xpath("//figure//text[contains(@class, 'wide') or contains(@class, 'side')]")
    streets = {street.name: {cell for piece in street.pieces for cell in piece} for street in ground.streets}
    assert len(texts) > 8
    for text in texts:
        x, y = map(int, re.findall(r"translate\((\d+) (\d+)\)", text.get("transform"))[0])
        nearest = sorted(streets[text.text], key=lambda cell: math.dist(ground.point(cell), (x, y)))[:2]
        (x1, y1), (x2, y2) = map(ground.point, nearest)
        assert math.dist((x, y), ((x1 + x2) / 2, (y1 + y2) / 2)) < 2
    for place in walker.world.entities["Place"]:
        street = place.street.split(" ", 1)[1]
        assert tuple(map(int, place.cell.split(","))) in streets[street]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_map_stays_light(seed: int) -> None:
    (figure,) = Walker(kit.load("ride", seed)).page.xpath("//figure[contains(@class, 'kit-map')]")
    assert len(tostring(figure)) < 13_200


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
