"""Each kind of product and each cuisine has a drawing of its own."""

import pytest
from lxml import etree

from stressweb.core.yaml_models import load
from stressweb.sites.kit import KIT, slug
from stressweb.sites.kit.look import pictures
from stressweb.sites.kit.mixins.restaurants import motifs as restaurants
from stressweb.sites.shop.motifs import MOTIFS
from tests.support.crawling import site, visitor

GOODS = load(KIT.parent / "shop" / "corpora" / "goods.yaml")
NOUNS = [slug(kind["noun"]) for category in GOODS for kind in category["kinds"]]


def test_each_noun_has_a_drawing_of_its_own_and_no_other_has() -> None:
    names = {category["motif"] for category in GOODS}
    assert {*NOUNS} == MOTIFS.keys() - names
    assert len({MOTIFS[noun](0.5, 0.5, "#000", "#fff") for noun in NOUNS}) == len(NOUNS)


def test_each_cuisine_has_a_drawing_of_its_own() -> None:
    cuisines = load(KIT / "corpora" / "restaurants.yaml")["cuisines"]
    assert restaurants.BY_CUISINE.keys() == {cuisine["id"] for cuisine in cuisines}
    assert len({*restaurants.BY_CUISINE.values()}) == len(cuisines)


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_restaurants_of_one_cuisine_have_different_drawings(seed: int) -> None:
    world = site("reservation", seed)
    for cuisine in world.entities["Cuisine"]:
        motifs = [row.picture.split("/")[2] for row in world.entities["Restaurant"] if row.cuisine == cuisine.id]
        assert len({*motifs}) == len(motifs) > 1
        assert {*motifs} <= restaurants.MOTIFS.keys()


def test_every_drawing_is_whole() -> None:
    for motifs in (MOTIFS, restaurants.MOTIFS):
        for name, motif in motifs.items():
            drawing = etree.fromstring(pictures.draw(motif, name, "whole"))
            shapes = ("path", "ellipse", "rect", "circle")
            count = sum(etree.QName(element).localname in shapes for element in drawing.iter())
            # The ground, its shine and the shadow are in every picture.
            assert count >= 3 + 2, name
            assert "nan" not in etree.tostring(drawing).decode()


def test_a_product_is_drawn_by_its_noun_and_a_category_by_its_own_motif() -> None:
    world, walker = site("shop", 3), visitor("shop", 3)
    product = world.entities["Product"][0]
    noun, address = slug(product.noun), product.picture
    key = address.rpartition("/")[2].removesuffix(".svg")
    assert walker.fetch(address).text == pictures.draw(MOTIFS[noun], noun, world.site, world.seed, key)
    category = walker.fetch(f"/pictures/{product.motif}/category.svg").text
    assert category == pictures.draw(MOTIFS[product.motif], product.motif, world.site, world.seed, "category")
    assert walker.fetch("/pictures/nothing/category.svg").status_code == 404
