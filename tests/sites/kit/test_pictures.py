"""Each kind of product and each cuisine has a drawing of its own."""

import re
from itertools import batched, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from stressweb.core.yaml_models import load
from stressweb.sites.kit import KIT, slug
from stressweb.sites.kit.look import materials, pictures
from stressweb.sites.kit.mixins.restaurants import motifs as restaurants
from stressweb.sites.shop.motifs import MOTIFS
from stressweb.walking.walker import Walker
from tests.support.crawling import site, visitor

GOODS = load(KIT.parent / "shop" / "corpora" / "goods.yaml")
unit = st.floats(0, 1, exclude_max=True)
NOUNS = [slug(kind["noun"]) for category in GOODS for kind in category["kinds"]]


def test_each_noun_has_a_drawing_of_its_own_and_no_other_has() -> None:
    names = {category["motif"] for category in GOODS}
    assert {*NOUNS} == MOTIFS.keys() - names
    assert len({MOTIFS[noun](0.5, 0.5, "#000", "#fff") for noun in NOUNS}) == len(NOUNS)


def test_each_cuisine_has_a_drawing_of_its_own() -> None:
    cuisines = load(KIT / "corpora" / "restaurants.yaml")["cuisines"]
    assert restaurants.BY_CUISINE.keys() == {cuisine["id"] for cuisine in cuisines}
    assert len({*restaurants.BY_CUISINE.values()}) == len(cuisines)


@pytest.mark.parametrize("name", ["food", "reservation"])
@pytest.mark.parametrize("seed", [0, 3, 6])
def test_restaurants_of_one_cuisine_have_different_drawings(name: str, seed: int) -> None:
    world = site(name, seed)
    for cuisine in world.entities["Cuisine"]:
        motifs = [row.picture.split("/")[2] for row in world.entities["Restaurant"] if row.cuisine == cuisine.id]
        assert len({*motifs}) == len(motifs) > 1
        assert {*motifs} <= restaurants.MOTIFS.keys()


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_no_drawing_stands_for_a_restaurant_on_both_sites(seed: int) -> None:
    dishes, rooms = (
        {row.picture.split("/")[2] for row in site(name, seed).entities["Restaurant"]}
        for name in ("food", "reservation")
    )
    assert min(len(dishes), len(rooms)) > 8
    assert not dishes & rooms


@pytest.mark.parametrize("seed", range(25))
def test_pictures_side_by_side_on_the_first_page_of_food_differ(seed: int) -> None:
    drawn = shown_motifs(visitor("food", seed), "//main//section//img/@src")
    assert len(drawn) > 8
    assert [name for name, following in pairwise(drawn) if name == following] == []
    # The last four are the popular restaurants.
    assert len({*drawn[-4:]}) == 4


@pytest.mark.parametrize("seed", range(25))
def test_pictures_side_by_side_on_the_first_page_of_reservation_differ(seed: int) -> None:
    drawn = shown_motifs(visitor("reservation", seed), "//main//article//img/@src")
    assert len(drawn) > 8
    # Three cards stand in a row.
    assert [group for group in zip(drawn, drawn[1:], drawn[2:], strict=False) if len({*group}) < 3] == []


def shown_motifs(walker: Walker, path: str) -> list[str]:
    """Return the names of the motifs of the pictures on the page."""
    addresses = (address.split("/") for address in walker.page.xpath(path))
    return [
        pictures.fitting(restaurants.MOTIFS, motif, key.removesuffix(".svg"))
        for _, folder, motif, key in addresses
        if folder == "pictures"
    ]


@pytest.mark.parametrize(
    ("name", "course", "motif"),
    [
        ("wide noodles with pork and pak choi", "main", "noodles"),
        ("lamb with dumplings", "main", "plate"),
        ("onion soup with Gruyère", "starter", "soup"),
        ("tiramisu with rice", "dessert", "sweet"),
        ("iced tea with peach", "drink", "cup"),
        ("summer rolls with prawns and mint", "starter", "wrap"),
    ],
)
def test_a_dish_is_drawn_as_what_its_name_says(name: str, course: str, motif: str) -> None:
    assert restaurants.dish_motif(name, course, "key") == motif


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_the_dishes_of_a_menu_have_different_drawings(seed: int) -> None:
    world = site("food", seed)
    for place in world.entities["Restaurant"]:
        motifs = {row.picture.split("/")[2] for row in world.entities["Dish"] if row.restaurant == place.id}
        assert len(motifs) > 3
        assert motifs <= restaurants.MOTIFS.keys()


def test_every_drawing_is_whole() -> None:
    for motifs in (MOTIFS, restaurants.MOTIFS):
        for name, motif in motifs.items():
            drawing = etree.fromstring(pictures.draw(motif, name, "whole"))
            shapes = ("path", "ellipse", "rect", "circle")
            count = sum(etree.QName(element).localname in shapes for element in drawing.iter())
            # The ground and the shadow are in every picture.
            assert count >= 2 + 2, name
            text = etree.tostring(drawing).decode()
            assert "nan" not in text
            assert {*re.findall(r"url\(#(\w+)\)", text)} == {*re.findall(r' id="(\w+)"', text)}, name


@given(unit, unit)
def test_a_ball_is_round_and_a_chair_as_high_as_drawn(a: float, b: float) -> None:
    ball, chair = (
        re.findall(r"scale\(([\d.]+) ([\d.]+)\)", MOTIFS[noun](a, b, "#000000", "#ffffff"))[0]
        for noun in ("basketball", "dining-chair")
    )
    assert ball[0] == ball[1]
    assert chair == (f"{0.86 + 0.14 * a:.2f}", f"{0.88 + 0.12 * b:.2f}")


def test_what_a_picture_shows_is_in_light() -> None:
    shapes, gradients = pictures.lit(MOTIFS["bench"](0.5, 0.5, "#573a28", "#85603f"))
    assert not re.search(r'(fill|stroke)="#', shapes)
    assert gradients.count("<linearGradient") == 2
    stops = [int(colour[:2], 16) for colour in re.findall(r'stop-color="#(\w+)"', gradients)]
    # Light from the left: the brightest place stands before the middle, the darkest at the right.
    for left, bright, right in batched(stops, 3):
        assert bright > left > right


@given(unit, unit)
def test_a_thing_has_the_colours_of_its_material(dark: float, light: float) -> None:
    walnut = materials.colours(["quayle", "walnut", "bar", "stool"], dark, light)
    assert walnut == materials.colours(["walnut", "bench"], 0, 0)
    assert walnut != materials.colours(["quayle", "steel", "bar", "stool"], dark, light)
    # The word next to the noun counts: a brand can have the name of a material.
    assert walnut == materials.colours(["oak", "walnut", "bench"], dark, light)


@given(unit, unit)
def test_a_thing_of_no_known_material_has_drawn_colours(dark: float, light: float) -> None:
    pair = materials.colours(["kettle"], dark, light)
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in pair)
    brightness = [sum(bytes.fromhex(colour[1:])) for colour in pair]
    # Otherwise the parts of a thing would run into each other.
    assert brightness[1] > brightness[0] + 100
    assert len({materials.colours(["kettle"], share / 10, light) for share in range(10)}) > 5


def test_a_product_is_drawn_by_its_noun_and_a_category_by_its_own_motif() -> None:
    world, walker = site("shop", 3), visitor("shop", 3)
    product = world.entities["Product"][0]
    noun, address = slug(product.noun), product.picture
    key = address.rpartition("/")[2].removesuffix(".svg")
    assert walker.fetch(address).text == pictures.draw(MOTIFS[noun], noun, world.site, world.seed, key)
    category = walker.fetch(f"/pictures/{product.motif}/category.svg").text
    assert category == pictures.draw(MOTIFS[product.motif], product.motif, world.site, world.seed, "category")
    assert walker.fetch("/pictures/nothing/category.svg").status_code == 404
