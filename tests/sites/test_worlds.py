"""A world follows its seed: data, look, wording and time, quickly and the same each time."""

import itertools
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sites import kit
from sites.kit.listing import words
from sites.kit.references import load_spec
from stressweb.errors import UserError

type Worlds = Callable[[int], kit.KitWorld]
SEEDS = range(20)
SHOP = Path(kit.__file__).parents[1] / "shop" / "site.yaml"


def test_the_shop_is_there() -> None:
    assert "shop" in kit.names()
    assert len(kit.tasks("shop")) == 12


def test_a_world_repeats() -> None:
    one, two = kit.load("shop", 5), kit.load("shop", 5)
    assert (one.template, one.labels, one.look, one.start) == (two.template, two.labels, two.look, two.start)


def test_twenty_seeds_are_twenty_shops(world: Worlds) -> None:
    worlds = [world(seed) for seed in SEEDS]
    looks = {(one.look.theme, one.look.bar, one.look.menu, one.look.filters, one.look.cards) for one in worlds}
    assert len(looks) == len(worlds)
    assert len({one.look.theme for one in worlds}) >= 10
    assert len({tuple(sorted(one.labels.items())) for one in worlds}) == len(worlds)
    assert len({one.labels["shop_name"] for one in worlds}) >= 6
    assert len({one.start for one in worlds}) >= 15
    catalogues = [{product.id for product in one.entities["Product"]} for one in worlds]
    assert all(len(a & b) < 20 for a, b in itertools.pairwise(catalogues))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_world_is_large_enough_and_small_enough(world: Worlds, seed: int) -> None:
    one = world(seed)
    assert len(one.entities["Product"]) >= 120
    assert len(one.entities["Category"]) == 8
    assert len(one.template) < 600_000
    ids = [product.id for product in one.entities["Product"]]
    assert len(ids) == len(set(ids))


def test_making_a_world_is_quick() -> None:
    kit.load("shop", 0)
    taken = []
    for seed in range(100, 105):
        began = time.perf_counter()
        kit.load("shop", seed)
        taken.append(time.perf_counter() - began)
    assert min(taken) < 0.15


@pytest.mark.parametrize("seed", SEEDS)
def test_a_noun_finds_its_own_products(world: Worlds, seed: int) -> None:
    products = world(seed).entities["Product"]
    for noun in {product.noun for product in products}:
        wanted = words(noun)
        hits = {one.id for one in products if wanted <= words(f"{one.name} {one.category} {one.brand}")}
        assert hits == {one.id for one in products if one.noun == noun}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("host: shop.test", "hosts: shop.test", "hosts"),
        ("within: 600", "within: many", "within: "),
        ("widget: hero,", "widget: heroes,", "'hero'"),
        ("action: send_review, label", "action: send_rewiew, label", "send_rewiew"),
        ("per: Category", "per: Categories", "Categories"),
        ("  name: shop_name", "  name: shop_name\n  name: shop_name", "said twice"),
        ("{chance: 0.86}", "{chance: 0.86, pick: [1]}", "exactly one of"),
        ("people: {", "people: [", "expected"),
        ("label: rating_45", "label: rating_46", "rating_46"),
    ],
)
def test_a_malformed_spec_names_file_and_place(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = SHOP.read_text("utf-8")
    assert old in text
    path = tmp_path / "site.yaml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(UserError) as caught:
        load_spec(path)
    message = str(caught.value)
    line = int(message.removeprefix(f"{path}:").partition(":")[0])
    assert says in message
    assert line - text[: text.index(old)].count("\n") in (1, 2)
    assert "\n" not in message


def test_an_unknown_site_is_refused() -> None:
    with pytest.raises(UserError, match=r"no site 'shoe'; there are .*shop"):
        kit.load("shoe", 0)
