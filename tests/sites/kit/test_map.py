"""A map shows every place of a list as a link at its corner, and the names that fit."""

import re

import pytest

from stressweb.sites import kit
from stressweb.sites.kit.data.town import HEIGHT, WIDTH, town
from stressweb.sites.kit.widgets.map.model import Map
from stressweb.walking.walker import Walker

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
def test_most_names_are_shown_and_the_others_are_heard(seed: int) -> None:
    walker = Walker(kit.load("ride", seed))
    names = walker.page.xpath("//a/span[contains(@class, 'kit-pin-name')]/@class")
    quiet = [name for name in names if "kit-pin-quiet" in name]
    assert len(quiet) <= len(names) // 5


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
