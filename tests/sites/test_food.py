"""Logic of the food service: one restaurant an order, minimum orders, codes, reordering, reviews, helpful marks."""

from datetime import timedelta
from typing import Any

import pytest

from stressweb.core.entity import Entity
from stressweb.sites.food.promos import discount, problem
from stressweb.walking.walker import Walker
from tests.support.crawling import send, site, visitor

CODE = Entity(id="FORK20", kind="promo_percent", value=20, minimum=2000, only="", until="2026-05-01")


@pytest.fixture
def walker() -> Walker:
    return visitor("food", 0)


def rows(walker: Walker, table: str, where: str = "1", *values: Any) -> list[Entity]:
    cursor = walker.database.execute(f"SELECT * FROM {table} WHERE {where}", values)
    return [Entity(zip((column[0] for column in cursor.description), row, strict=True)) for row in cursor]


def places(walker: Walker, **where: object) -> list[Entity]:
    restaurants = walker.world.entities["Restaurant"]
    return [restaurant for restaurant in restaurants if all(restaurant[name] == value for name, value in where.items())]


def dishes(walker: Walker, place: Entity) -> list[Entity]:
    return [dish for dish in walker.world.entities["Dish"] if dish.restaurant == place.id]


def add_to_basket(walker: Walker, dish: Entity, quantity: int = 1, **more: str) -> str:
    """Add a dish to the basket, in its smallest size."""
    return send(walker, "add_dish", dish=dish.id, size=f"{dish.sizes}/0", quantity=str(quantity), **more)


def order(walker: Walker) -> str:
    return send(walker, "place_order", address="me/Home", slot="", tip="0", payment="payment_card")


def test_the_visitor_is_known_from_the_start(walker: Walker) -> None:
    walker.get("/account")
    assert walker.world.entities["Customer"][0].name in walker.html
    assert not walker.page.xpath("//input[@type='password']")


def test_a_basket_holds_dishes_of_one_restaurant(walker: Walker) -> None:
    first, second = places(walker, open=1)[:2]
    add_to_basket(walker, dishes(walker, first)[0])
    assert walker.world.labels["error_one_place"] in add_to_basket(walker, dishes(walker, second)[0])
    assert [line.restaurant for line in rows(walker, "cart")] == [first.id]
    send(walker, "empty_basket")
    add_to_basket(walker, dishes(walker, second)[0])
    assert [line.restaurant for line in rows(walker, "cart")] == [second.id]


def test_the_same_dish_adds_up_and_another_wish_is_another_line(walker: Walker) -> None:
    dish = dishes(walker, places(walker, open=1)[0])[0]
    add_to_basket(walker, dish)
    add_to_basket(walker, dish, 2)
    add_to_basket(walker, dish, note="No salt")
    assert [(line.quantity, line.note) for line in rows(walker, "cart")] == [(3, ""), (1, "No salt")]


def test_extras_and_size_make_the_price_and_those_of_others_are_refused(walker: Walker) -> None:
    place = places(walker, open=1)[0]
    dish = next(candidate for candidate in dishes(walker, place) if candidate.extras)
    extras = [extra for extra in walker.world.entities["Extra"] if extra.family == dish.extras]
    foreign = next(extra for extra in walker.world.entities["Extra"] if extra.family != dish.extras)
    size = next(option for option in walker.world.entities["Size"] if option.family == dish.sizes and option.more)
    wrong = next(option for option in walker.world.entities["Size"] if option.family != dish.sizes)
    assert walker.world.labels["error_form"] in add_to_basket(walker, dish, extras=foreign.id)
    assert walker.world.labels["error_form"] in send(walker, "add_dish", dish=dish.id, size=wrong.id, quantity="1")
    assert not rows(walker, "cart")
    send(walker, "add_dish", dish=dish.id, size=size.id, quantity="1", extras=extras[1].id)
    (line,) = rows(walker, "cart")
    assert line.price == dish.price + size.more + extras[1].price
    assert (line.size, line.extras) == (size.name, extras[1].name)


def test_who_is_closed_takes_no_orders(walker: Walker) -> None:
    assert walker.world.labels["error_closed"] in add_to_basket(walker, dishes(walker, places(walker, open=0)[0])[0])
    assert not rows(walker, "cart")


def test_an_order_below_the_minimum_is_refused(walker: Walker) -> None:
    place = max(places(walker, open=1), key=lambda restaurant: restaurant.minimum)
    cheap = min(dishes(walker, place), key=lambda dish: dish.price)
    add_to_basket(walker, cheap)
    assert walker.world.labels["error_minimum"] in order(walker)
    add_to_basket(walker, cheap, 19)
    order(walker)
    assert rows(walker, "orders", "id = '10011'")[0].subtotal == 20 * cheap.price


def test_the_order_has_what_the_basket_said_and_empties_it(walker: Walker) -> None:
    place = places(walker, open=1)[0]
    add_to_basket(walker, dishes(walker, place)[0], 5)
    order(walker)
    (placed_order,) = rows(walker, "orders", "id = '10011'")
    assert placed_order.total == placed_order.subtotal + placed_order.fee - placed_order.discount + placed_order.tip
    assert not rows(walker, "cart")
    assert rows(walker, "order_line", "\"order\" = '10011'")[0].quantity == 5


def test_ordering_again_replaces_the_basket(walker: Walker) -> None:
    past_order = next(
        candidate
        for candidate in walker.world.entities["Past"]
        if candidate.open and candidate.status == "status_delivered"
    )
    other_restaurant = next(
        restaurant for restaurant in places(walker, open=1) if restaurant.id != past_order.restaurant
    )
    add_to_basket(walker, dishes(walker, other_restaurant)[0])
    send(walker, "reorder", order=past_order.id)
    ordered = rows(walker, "order_line", '"order" = ?', past_order.id)
    in_basket = rows(walker, "cart")
    chosen = ("dish", "size", "extras", "quantity", "price")
    assert [[line[name] for name in chosen] for line in in_basket] == [
        [line[name] for name in chosen] for line in ordered
    ]


def test_only_what_was_delivered_is_reviewed_and_only_once(walker: Walker) -> None:
    labels, past_orders = walker.world.labels, walker.world.entities["Past"]
    form = {"stars": "4", "headline": "Fine", "text": ""}
    running = next(candidate for candidate in past_orders if candidate.status == "status_preparing")
    delivered = next(candidate for candidate in past_orders if candidate.status == "status_delivered")
    assert labels["error_early"] in send(walker, "send_review", order=running.id, **form)
    send(walker, "send_review", order=delivered.id, **form)
    assert [
        review.title for review in rows(walker, "review", "author = ?", walker.world.entities["Customer"][0].name)
    ] == ["Fine"]
    assert labels["error_reviewed"] in send(walker, "send_review", order=delivered.id, **form)


def test_a_review_is_marked_as_helpful_once(walker: Walker) -> None:
    review = walker.world.entities["Review"][0]
    send(walker, "mark_helpful", review=review.id)
    assert walker.world.labels["error_helpful"] in send(walker, "mark_helpful", review=review.id)
    assert rows(walker, "review", "id = ?", review.id)[0].helpful == review.helpful + 1


def test_what_was_delivered_is_not_cancelled(walker: Walker) -> None:
    delivered = next(candidate for candidate in walker.world.entities["Past"] if candidate.status == "status_delivered")
    assert walker.world.labels["error_status"] in send(walker, "cancel_order", order=delivered.id, reason="reason_late")
    running = next(candidate for candidate in walker.world.entities["Past"] if candidate.status == "status_preparing")
    send(walker, "cancel_order", order=running.id, reason="reason_late")
    assert rows(walker, "orders", "id = ?", running.id)[0].status == "status_cancelled"


@pytest.mark.parametrize(
    ("change", "goods", "says", "off"),
    [
        ({}, 2000, "", 400),
        ({}, 1999, "error_promo_minimum", 0),
        ({"until": "2026-03-31"}, 2000, "error_promo_over", 0),
        ({"until": "2026-04-01"}, 2000, "", 400),
        ({"only": "thai"}, 2000, "error_promo_cuisine", 0),
        ({"only": "greek"}, 2000, "", 400),
        ({"kind": "promo_amount", "value": 500}, 2000, "", 500),
        ({"kind": "promo_amount", "value": 5000}, 2000, "", 2250),
        ({"kind": "promo_fee", "value": 0}, 2000, "", 250),
    ],
)
def test_what_a_code_takes_off(change: dict[str, Any], goods: int, says: str, off: int) -> None:
    code = {**CODE, **change}
    assert problem(code, goods, "greek", "2026-04-01") == says
    assert discount(code, goods, 250, "greek", "2026-04-01") == off


def test_the_best_code_of_a_goal_takes_off_most() -> None:
    """Computed from the pages, and not with the function that draws the goals."""
    walker = visitor("food", 3)
    world = walker.world
    past_order = next(
        candidate
        for candidate in world.entities["Past"]
        if candidate.open and candidate.margin and candidate.status == "status_delivered"
    )
    took = {}
    for promo in world.entities["Promo"]:
        again = visitor("food", 3)
        send(again, "reorder", order=past_order.id)
        send(again, "use_promo", promo=promo.id.lower())
        order(again)
        took[promo.id] = rows(again, "orders", "id = '10011'")[0].discount
    assert max(took, key=lambda code: took[code]) == past_order.code
    best, second, *_ = sorted(took.values(), reverse=True)
    assert best - second == past_order.margin


def test_worlds_differ_and_restaurants_have_names_of_their_own() -> None:
    names = [{restaurant.name for restaurant in site("food", seed).entities["Restaurant"]} for seed in (0, 1)]
    assert all(len(names_of_seed) >= 40 for names_of_seed in names)
    assert len(names[0] & names[1]) < 5


def dishes_on_menu(walker: Walker) -> set[str]:
    return {*walker.page.xpath("//main//*[contains(@itemtype, 'MenuItem')]//*[@itemprop='name']/text()")}


def test_a_menu_shows_the_dishes_that_are_asked_for(walker: Walker) -> None:
    place = next(row for row in places(walker) if row.vegan)
    menu = dishes(walker, place)
    walker.get(f"/r/{place.id}")
    assert dishes_on_menu(walker) == {dish.name for dish in menu}
    walker.get(f"/r/{place.id}?diet=vegan")
    assert dishes_on_menu(walker) == {dish.name for dish in menu if dish.diet == "diet_vegan"} != set()
    walker.get(f"/r/{place.id}?diet=vegetarian")
    assert dishes_on_menu(walker) == {dish.name for dish in menu if dish.diet}
    word = menu[0].name.split()[0]
    walker.get(f"/r/{place.id}?dish={word.upper()}")
    assert dishes_on_menu(walker) == {dish.name for dish in menu if word.lower() in f"{dish.name} {dish.text}".lower()}
    walker.get(f"/r/{place.id}?dish=zzz&diet=none")
    assert dishes_on_menu(walker) == set()
    assert walker.world.labels["empty_menu"] in walker.html


def test_restaurants_can_be_limited_to_those_with_main_courses_of_a_diet(walker: Walker) -> None:
    mains = [dish for dish in walker.world.entities["Dish"] if dish.course == "course_main"]
    vegan = {dish.restaurant for dish in mains if dish.diet == "diet_vegan"}
    assert {row.id for row in places(walker, vegan=1)} == vegan
    assert len(places(walker)) > len(places(walker, vegetarian=1)) > len(vegan) > 0
    walker.get("/restaurants?diet=vegan")
    names = walker.page.xpath("//main//*[contains(@itemtype, 'Restaurant')]//*[@itemprop='name']/text()")
    assert {*names} == {row.name for row in places(walker, vegan=1)}


def test_an_order_says_when_it_is_expected(walker: Walker) -> None:
    place = min(places(walker, open=1), key=lambda row: row.minutes)
    add_to_basket(walker, dishes(walker, place)[0], 20)
    order(walker)
    begin = walker.world.start + timedelta(minutes=place.minutes)
    begin += timedelta(minutes=-begin.minute % 5)
    assert f"Today, {begin:%H:%M} to {begin + timedelta(minutes=10):%H:%M}" in walker.html
    slot = walker.world.entities["Slot"][30]
    add_to_basket(walker, dishes(walker, place)[0], 20)
    send(walker, "place_order", address="me/Home", slot=slot.id, tip="0", payment="payment_card")
    assert slot.name in walker.html
    assert walker.page.xpath("//*[@itemprop='scheduledTime']/@content") == [slot.id]
    assert walker.world.labels["arrival"] not in walker.html


@pytest.mark.parametrize("seed", range(25))
def test_the_top_of_the_first_page_shows_different_dishes_that_people_know(seed: int) -> None:
    pictures = visitor("food", seed).page.xpath("//*[contains(@class, 'kit-hero-pictures')]/img/@src")
    motifs = {address.split("/")[2] for address in pictures}
    assert len(pictures) == len(motifs) == 3
    assert motifs <= {"pizza", "sushi", "burger", "curry", "taco", "noodles", "dumplings"}
