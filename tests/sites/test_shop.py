"""Logic of the shop: access to pages, refused forms, pictures, and the rollback of a fault."""

from itertools import islice

import pytest

from stressweb.plugins.steps import Step
from stressweb.walking.walker import BrokenError
from tests.sites.crawling import site, visitor


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
    token = walker.page.xpath("//input[@name='csrf_token']/@value")[0]
    product = next(row for row in walker.world.entities["Product"] if row.in_stock)
    with pytest.raises(BrokenError, match=r"POST /add-to-cart: OperationalError: .*cart"):
        walker.post("/add-to-cart", {"csrf_token": token, "product": product.id, "quantity": "1"})
    assert not walker.database.in_transaction
    assert walker.database.execute("SELECT COUNT(*) FROM event").fetchone() == (0,)
