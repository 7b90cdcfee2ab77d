"""A world follows its seed: data, look, wording and time, quickly and the same each time."""

import itertools
import shutil
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from stressweb.core.entity import Entity
from stressweb.core.errors import UserError
from stressweb.runner.registry import site_names, task_ids
from stressweb.sites import kit
from stressweb.sites.kit.widgets.listing.model import words
from tests.support.crawling import SITES, site

pytestmark = pytest.mark.sample(10, "file")

SEEDS = range(20)
SPECS = [Path(kit.__file__).parents[1] / name / "site.yaml" for name in SITES]
SIZES = {"shop": (120, 8), "calendar": (150, 6)}
"""Least number of rows, and number of categories, on the sites of the paper's tasks."""


def things(world: kit.KitWorld) -> Sequence[Entity]:
    """Return the rows of a site's main entity, which has the most of them."""
    held = [key for key in world.entities if world.spec.entities[key].table]
    return world.entities[
        {"shop": "Product", "calendar": "Event"}.get(world.site) or max(held, key=lambda key: len(world.entities[key]))
    ]


def test_the_sites_are_there() -> None:
    assert len(SITES) >= 2
    assert set(SITES) == set(site_names())
    assert sorted(task.id for name in SITES for task in kit.tasks(name)) == sorted(task_ids())
    assert all(len(kit.tasks(name)) >= 10 for name in SITES)


@pytest.mark.parametrize("name", SITES)
def test_a_world_repeats(name: str) -> None:
    first_load, second_load = kit.load(name, 5), kit.load(name, 5)
    assert (first_load.template, first_load.labels, first_load.look, first_load.start) == (
        second_load.template,
        second_load.labels,
        second_load.look,
        second_load.start,
    )
    assert first_load.entities == second_load.entities


@pytest.mark.parametrize("name", SITES)
def test_today_is_a_day_of_these_years(name: str) -> None:
    spec = site(name, 0).spec
    last = spec.since + timedelta(days=spec.within - 1)
    assert {spec.since.year, last.year} <= {2024, 2025, 2026, 2027}
    assert all(spec.since <= site(name, seed).start.date() <= last for seed in SEEDS)


@pytest.mark.parametrize("name", SITES)
def test_twenty_seeds_are_twenty_sites(name: str) -> None:
    worlds = [site(name, seed) for seed in SEEDS]
    assert len({world.look for world in worlds}) == len(worlds)
    assert len({world.look.theme for world in worlds}) >= 10
    assert len({tuple(sorted(world.labels.items())) for world in worlds}) == len(worlds)
    assert len({world.labels[f"{name}_name"] for world in worlds}) >= 6
    assert len({world.start for world in worlds}) >= 15
    rows = [{row.id for row in things(world)} for world in worlds]
    assert all(len(a & b) < len(a) / 3 for a, b in itertools.pairwise(rows))


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", SITES)
def test_a_world_is_large_enough_and_small_enough(name: str, seed: int) -> None:
    world = site(name, seed)
    rows = things(world)
    least, categories = SIZES.get(name, (50, None))
    assert len(rows) >= least
    assert categories is None or len(world.entities["Category"]) == categories
    assert len(world.template) < 600_000
    assert len({row.id for row in rows}) == len(rows)


@pytest.mark.sample(20)
@pytest.mark.parametrize("seed", range(50))
@pytest.mark.parametrize("name", SITES)
def test_every_task_can_be_drawn_with_its_breaches(name: str, seed: int) -> None:
    """In 14 of these worlds, a task of one site does not fit the data of the first draw."""
    world = kit.load(name, seed)
    for task in kit.tasks(name):
        assert len([*task.breaches(task.goal(world), world)]) == sum(not limit.describes for limit in task.limits)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_noun_finds_its_own_products(seed: int) -> None:
    products = site("shop", seed).entities["Product"]
    for noun in {product.noun for product in products}:
        wanted = words(noun)
        hits = {
            product.id for product in products if wanted <= words(f"{product.name} {product.category} {product.brand}")
        }
        assert hits == {product.id for product in products if product.noun == noun}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("since: 2025", "sinse: 2025", "did you mean since?"),
        ("since: 2025", "host: Shop\nsince: 2025", "host: "),
        ("within: 600", "within: many", "within: "),
        ("widget: hero,", "widget: heroes,", "unknown widget 'heroes'; did you mean hero"),
        (
            "action: send_review, text",
            "action: send_rewiew, text",
            "unknown action 'send_rewiew'; did you mean send_review",
        ),
        ("per: Category", "per: Categories", "Categories"),
        ("  name: shop_name", "  name: shop_name\n  name: shop_name", "duplicate key"),
        ("{chance: 0.86}", "{chance: 0.86, pick: [1]}", "exactly one of"),
        ("people: {", "people: [", "expected"),
        ("load: cart_totals", "load: cart_total", "unknown function 'cart_total'; did you mean cart_totals"),
        ("load: confirmation", "load: confirmatoin", "unknown function 'confirmatoin'; did you mean confirmation"),
        ("badge: {link_trash: trash_count}", "badge: {link_trash: trash_counts}", "unknown function 'trash_counts'"),
        ("links: {hero_link: /all}", "links: {hero_lnk: /all}", "unknown label 'hero_lnk'; did you mean hero_link"),
        ("crumbs: {link_home: /, all_orders", "crumbs: {link_hom: /, all_orders", "unknown label 'link_hom'"),
        (
            "payment: {type: choice, options: [payment_invoice",
            "payment: {type: choice, options: [payment_invoic",
            "'payment_invoic'",
        ),
        ("sections: {link_home: /", "sections: {link_hme: /", "unknown label 'link_hme'"),
        ("link_orders: /orders, link_wish", "link_order: /orders, link_wish", "unknown label 'link_order'"),
        ("allow_when: {error_stock:", "allow_when: {error_stok:", "unknown label 'error_stok'"),
        ("use: [people, account,", "use: [people, acount,", "unknown mixin 'acount'; did you mean account"),
        ("unique: [name]", "unique: [nam]", "unknown column 'nam'; did you mean name"),
        ("    noun: template", "    noum: template", "did you mean noun"),
        ('text: "{row.author}"', 'text: "{row.autor}"', "unknown column of row 'autor'; did you mean author"),
        (
            "total, view_order, again, lines]",
            "total, view_ordr, again, lines]",
            "unknown part of Order 'view_ordr'; did you mean view_order",
        ),
        ("brand: fact", "brand: fcat", "unknown part 'fcat'; did you mean fact"),
        ("email: {part: fact, text", "email: {part: fact, txt", "txt: is no known name"),
        (
            "when: order.status is status_processing, width",
            "when: order.state is status_processing, width",
            "unknown column of order 'state'",
        ),
        ('then: "/p/{product.id}"', 'then: "/p/{product.idd}"', "unknown column of product 'idd'"),
        ("when: row.news, prop", "when: row.nesw, prop", "unknown column of row 'nesw'; did you mean news"),
        (
            'name: {label: full_name, value: "{me.name}"}',
            'name: {label: full_name, value: "{me.nme}"}',
            "column of me 'nme'",
        ),
        (
            'crumbs: {link_home: /, more_of: "/c/{product.category_id}"}',
            'crumbs: {link_home: /, more_of: "/c/{product.category_id"}',
            "'/c/{product.category_id'",
        ),
        ("rows: corpus.goods", "rows: corpus.gods", "unknown corpus 'gods'; did you mean goods"),
        (
            "rows: corpus.reviews.texts",
            "rows: corpus.reviews.textes",
            "unknown part of the corpus reviews 'textes'; did you mean texts",
        ),
        ("numbers: setting.week_numbers", "filters: {}", "filters: is no known name; there are"),
        ("label: rating_45", "label: rating_46", "rating_46"),
        (
            "actions: [batch_recolour,",
            "actions: [batch_recolor,",
            "unknown action 'batch_recolor'; did you mean batch_recolour",
        ),
        ("type: date, label: go_date", "type: day, label: go_date", "unknown type 'day'"),
        ("widget: month", "widget: months", "did you mean month"),
    ],
)
def test_a_malformed_spec_names_file_and_place(tmp_path: Path, old: str, new: str, says: str) -> None:
    text, folder = next((path.read_text("utf-8"), path.parent) for path in SPECS if old in path.read_text("utf-8"))
    shutil.copytree(folder, tmp_path / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / folder.name / "site.yaml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(UserError) as caught:
        kit.KitSite(path.parent, logic=f"stressweb.sites.{folder.name}.logic").world(0)
    message = str(caught.value)
    line = int(message.removeprefix(f"{path}:").partition(":")[0])
    assert says in message
    assert line - text[: text.index(old)].count("\n") in (1, 2)
    assert "\n" not in message


def test_an_unknown_site_is_refused() -> None:
    with pytest.raises(UserError, match=r"unknown site 'shoe'; did you mean shop\? There are .*shop"):
        kit.load("shoe", 0)
