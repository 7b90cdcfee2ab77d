"""Logic of the shop: access to pages, refused forms, pictures, and the rollback of a fault."""

from itertools import islice

import pytest

from stressweb.core.entity import Entity
from stressweb.plugins.steps import Step
from stressweb.sites.shop.deliveries import arrival, order_days
from stressweb.walking.walker import BrokenError, Walker
from tests.support.crawling import send, site, visitor


def test_every_picture_is_drawn() -> None:
    walker = visitor("shop", 1)
    pictures = list(islice({product.picture: None for product in site("shop", 1).entities["Product"]}, 0, None, 8))
    answers = [walker.fetch(picture) for picture in pictures]
    assert {answer.mimetype for answer in answers} == {"image/svg+xml"}
    assert len({answer.data for answer in answers}) == len(pictures)


def test_a_form_without_its_token_is_refused() -> None:
    world, walker = site("shop", 0), visitor("shop", 0)
    product = next(row for row in world.entities["Product"] if row.in_stock)
    walker.post("/add-to-cart", {"product": product.id, "quantity": "1"})
    assert world.labels["error_token"] in walker.html
    assert not walker.database.execute("SELECT * FROM cart WHERE product = ?", (product.id,)).fetchall()
    assert walker.database.execute("SELECT COUNT(*) FROM event").fetchone() == (1,)


def test_a_refused_form_keeps_what_was_typed_and_says_what_is_wrong() -> None:
    labels, walker = site("shop", 0).labels, visitor("shop", 0)
    walker.walk(
        (
            Step(verb="open", target=labels["link_register"]),
            Step(verb="enter", target=labels["full_name"], value="Ada Byron"),
            Step(verb="enter", target=labels["email"], value="nobody"),
            Step(verb="press", target=labels["do_register"]),
        )
    )
    assert labels["error_email"] in walker.html
    assert labels["error_required"] in walker.html
    assert walker.page.xpath("//input[@name='name']/@value") == ["Ada Byron"]
    assert len(walker.page.xpath("//*[@aria-invalid='true']")) == 4
    assert not walker.page.xpath("//input[@type='password']/@value[. != '']")


def test_pages_of_others_do_not_exist() -> None:
    walker = visitor("shop", 0, "regular")
    person = walker.world.entities["Customer"][0]
    foreign = next(order for order in walker.world.entities["Order"] if order.owner != person.id)
    assert walker.get(f"/orders/{foreign.id}").status_code == 404
    assert walker.get("/p/no-such-thing").status_code == 404


def test_signing_in_returns_to_the_page_that_asked() -> None:
    walker = visitor("shop", 2)
    answer = walker.fetch("/orders")
    assert answer.status_code == 303
    walker.get(answer.headers["Location"])
    assert walker.world.labels["error_signed_out"] in walker.html
    customer = walker.world.entities["Customer"][0]
    labels = walker.world.labels
    walker.walk(
        (
            Step(verb="enter", target=labels["email"], value=customer.id),
            Step(verb="enter", target=labels["password"], value=customer.password),
            Step(verb="press", target=labels["do_sign_in"]),
        )
    )
    assert walker.url == "/orders"


def test_a_fault_of_the_site_is_raised_and_undone() -> None:
    walker = visitor("shop", 0)
    walker.database.execute("DROP TABLE cart")
    walker.database.commit()
    product = next(row for row in walker.world.entities["Product"] if row.in_stock)
    with pytest.raises(BrokenError, match=r"POST /add-to-cart: OperationalError: .*cart"):
        send(walker, "add_to_cart", product=product.id, quantity="1")
    assert not walker.database.in_transaction
    assert walker.database.execute("SELECT COUNT(*) FROM event").fetchone() == (0,)


@pytest.mark.parametrize(
    ("ordered", "delivery", "day"),
    [
        ("2026-07-01 21:40:00", "delivery_express", "2026-07-02"),
        ("2026-07-03 09:00:00", "delivery_express", "2026-07-06"),
        ("2026-07-04", "delivery_express", "2026-07-06"),
        ("2026-07-01", "delivery_standard", "2026-07-07"),
        ("2026-06-29", "delivery_pickup", "2026-07-03"),
    ],
)
def test_an_order_arrives_on_a_working_day(ordered: str, delivery: str, day: str) -> None:
    assert arrival(ordered, delivery).isoformat() == day


@pytest.mark.parametrize(
    ("status", "today", "name", "day"),
    [
        ("status_processing", "2026-07-02", "arrives", "2026-07-07"),
        ("status_processing", "2026-07-09", "arrives", "2026-07-10"),
        ("status_shipped", "2026-07-09", "arrives", "2026-07-09"),
        ("status_delivered", "2026-08-06", "return_until", "2026-08-06"),
        ("status_delivered", "2026-08-07", "returns_ended", "2026-08-06"),
    ],
)
def test_the_days_of_an_order_follow_from_its_status(status: str, today: str, name: str, day: str) -> None:
    order = {"placed": "2026-07-01 10:00:00", "delivery": "delivery_standard", "status": status}
    days = order_days(order, today, 30)
    assert days[name] == day
    assert {key for key, text in days.items() if text} == {name} | (
        {"arrived"} if status == "status_delivered" else set()
    )


def customer(persona: str, status: str) -> tuple[Walker, Entity]:
    """Return a walker as a customer, and an order of theirs with this status."""
    walker = visitor("shop", 1, persona)
    person = next(row for row in walker.world.entities["Customer"] if row.persona == persona)
    orders = [row for row in walker.world.entities["Order"] if row.owner == person.id and row.status == status]
    return walker, orders[0]


def database_row(walker: Walker, statement: str, *values: str) -> tuple[object, ...] | None:
    answer: tuple[object, ...] | None = walker.database.execute(statement, values).fetchone()
    return answer


def test_an_order_that_has_arrived_can_be_returned_once() -> None:
    walker, order = customer("regular", "status_delivered")
    labels = walker.world.labels
    walker.database.execute("UPDATE orders SET placed = ? WHERE id = ?", (str(walker.world.start), order.id))
    walker.get(f"/orders/{order.id}")
    walker.walk(
        (
            Step(verb="choose", target=labels["return_reason"], value=labels["return_wrong"]),
            Step(verb="press", target=labels["return_order"]),
        )
    )
    status = "SELECT status, reason FROM orders WHERE id = ?"
    assert database_row(walker, status, order.id) == ("status_returned", "return_wrong")
    assert labels["status_returned"] in walker.html
    send(walker, "return_order", order=order.id, reason="return_other")
    assert labels["error_return"] in walker.html
    assert database_row(walker, status, order.id) == ("status_returned", "return_wrong")


def test_an_order_that_is_under_way_cannot_be_returned() -> None:
    walker, order = customer("regular", "status_processing")
    walker.get(f"/orders/{order.id}")
    assert walker.world.labels["arrives"] in walker.html
    assert walker.world.labels["return_order"] not in walker.html


def test_ordering_again_adds_what_is_in_stock_to_the_cart() -> None:
    walker, order = customer("regular", "status_processing")
    first, *others = [row for row in walker.world.entities["OrderLine"] if row.order == order.id]
    walker.database.execute("UPDATE product SET in_stock = 1")
    walker.database.executemany("UPDATE product SET in_stock = 0 WHERE id = ?", [(line.product,) for line in others])
    walker.get("/orders")
    walker.walk((Step(verb="press", target=walker.world.labels["reorder"], on=f"Order {order.id}"),))
    lines = walker.database.execute("SELECT product, quantity FROM cart WHERE owner = ?", (order.owner,)).fetchall()
    assert lines == [(first.product, first.quantity)]


def test_a_saved_product_goes_to_the_cart_from_the_list() -> None:
    walker = visitor("shop", 1, "regular")
    labels, product = walker.world.labels, next(row for row in walker.world.entities["Product"] if row.in_stock)
    walker.get(f"/p/{product.id}")
    walker.walk((Step(verb="press", target=labels["add_to_wishlist"]),))
    walker.get("/wishlist")
    walker.walk((Step(verb="press", target=labels["add_to_cart"], on=product.name),))
    quantity = "SELECT quantity FROM cart WHERE product = ? AND owner = ?"
    assert database_row(walker, quantity, product.id, walker.world.entities["Customer"][0].id) == (1,)


@pytest.mark.parametrize("seed", range(8))
def test_the_first_page_shows_products_of_three_kinds_and_picks_that_are_in_stock(seed: int) -> None:
    walker = visitor("shop", seed)
    top = [*map(str, walker.page.xpath("//*[contains(@class, 'kit-hero-pictures')]/img/@src"))]
    picks = [*map(str, walker.page.xpath("//article[contains(@itemtype, 'Product')]//img/@src"))]
    assert len({address.split("/")[2] for address in top}) == len(top) == 3
    assert len(picks) > 5
    assert not {*top} & {*picks}
    assert walker.world.labels["sold_out"] not in walker.html


def test_a_search_offers_other_searches() -> None:
    walker = visitor("shop", 1)
    products = walker.world.entities["Product"]
    product, similar_nouns = products[0], {row.noun for row in products if row.category == products[0].category}
    walker.get(f"/search?q={product.noun}")
    links = walker.page.xpath("//main//ul[@class='kit-links']//a")
    assert {link.text for link in links} <= similar_nouns - {product.noun}
    assert len(links) == 6
    walker.get(links[0].get("href"))
    assert any(link.text == product.noun for link in walker.page.xpath("//main//ul[@class='kit-links']//a"))
    walker.get("/search?q=zzz")
    assert walker.world.labels["title_popular_searches"] in walker.html
    assert len(walker.page.xpath("//main//ul[@class='kit-links']//a")) == 6
