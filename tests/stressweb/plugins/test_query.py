"""The query API: reading recorded pages and the database in checkpoints."""

from decimal import Decimal

import pytest

from stressweb.core.entity import Entity
from stressweb.plugins.database import TableChange
from stressweb.plugins.query import BLANK, Run, State, at, has_item, says
from tests.support.parsed_pages import parsed

HTML = """<!DOCTYPE html><html><head><title> The  shop </title></head><body><header>Head</header><main><h1>Lamps</h1>
<article itemscope itemtype="https://schema.org/Product"><h2><a itemprop="url" href="/p/1"><span itemprop="name">Red
 lamp</span></a></h2><meta itemprop="sku" content="p1">
<div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
<b itemprop="price" content="12.50">$12.50</b></div>
<input aria-label="Quantity" itemprop="orderQuantity" value="3"><button disabled>Add to cart</button></article>
<label>Size <select><option>small</option><option selected>large</option></select></label>
<label><input type="checkbox" checked> Gift</label><p hidden>Secret</p></main></body></html>"""


def state() -> State:
    return State("http://shop.test/lamps%20all?page=2", HTML)


def test_items_and_their_own_properties() -> None:
    product = state().item("Product", name="Red lamp")
    assert product is not None
    assert (product["sku"], product["url"], product["price"]) == ("p1", "/p/1", None)
    offer = product.item("Offer", price=12.5)
    assert offer is not None
    assert offer.number("price") == Decimal("12.50")
    assert product["orderQuantity"] == "3"
    assert product.reads({"orderQuantity": 3})
    assert state().item("Product", name="Blue lamp") is None


def test_controls_by_role_and_name() -> None:
    page = state()
    size, gift, button = (
        page.control("combobox", "Size"),
        page.control("checkbox", "Gift"),
        page.control("button", "Add to cart"),
    )
    assert size is not None
    assert size.value == "large"
    assert gift is not None
    assert gift.checked
    assert button is not None
    assert button.disabled
    assert page.control("button", "Add") is None
    assert [control.name for control in page.controls("link")] == ["Red lamp"]


def test_texts_of_the_main_part() -> None:
    page = state()
    assert page.query == {"page": "2"}
    assert (page.path, page.title, page.headings()) == ("/lamps all", "The shop", ["Lamps", "Red lamp"])
    assert page.says("Red lamp")
    assert not page.says("Secret")
    assert not page.says("Head")


def test_a_blank_page_answers_nothing() -> None:
    assert (BLANK.text, BLANK.items("Product"), BLANK.controls(), BLANK.headings(), BLANK.title) == ("", [], [], [], "")


def test_a_run_has_the_changes_of_the_database() -> None:
    tables = {
        "cart": TableChange(key=("user", "product"), added=(Entity(user=1, product="p1", quantity=2),)),
        "user": TableChange(key=("id",), altered=((Entity(id=1, name="A"), Entity(id=1, name="B")),)),
        "event": TableChange(key=("id",), added=(Entity(id=1, kind="add"),)),
    }
    run = Run([state(), BLANK], {"/cart": state()}, tables)
    assert run.added("cart")[0].quantity == 2
    assert run.altered("user")[0][1].name == "B"
    assert run.removed("nothing") == ()
    assert run.untouched("nothing", "order")
    assert not run.untouched("nothing", "user")
    assert [event.kind for event in run.events()] == ["add"]
    assert run.ever(has_item("Product", name="Red lamp"))
    assert run.ever(at("/lamps all"))
    assert not run.ever(says("Blue"))
    assert run.last is BLANK
    assert Run([BLANK, state()]).last.title == "The shop"
    assert Run([]).last is BLANK
    assert run.closing("/cart").title == "The shop"
    assert run.closing("/orders") is BLANK


def page_with(body: str, path: str = "/") -> State:
    return State(f"http://shop.test{path}", f"<html><body>{body}</body></html>")


__all__ = ["parsed"]

LAMP = '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">{}</b></div>'


@pytest.mark.parametrize(
    "body",
    [
        LAMP.format("Lamp"),
        LAMP.format("La<i>mp</i>"),
        LAMP.format("L\u200bamp"),
        LAMP.format("&#76;amp"),
        LAMP.format("Lamp").replace("Product", "&#80;roduct"),
        LAMP.format("Lamp").replace("Product", "Pr&#x6f;duct"),
    ],
)
def test_an_item_is_found_however_its_words_are_written(body: str) -> None:
    """The quick checks on the HTML skip no page with the item."""
    run = Run([page_with("Lamp"), page_with(LAMP.format("Chair")), page_with(body)])
    assert run.ever(has_item("Product", name="Lamp"))
    assert not run.ever(has_item("Product", name="Lamps"))
    assert not run.ever(has_item("OrderItem", name="Lamp"))


def test_a_page_is_parsed_only_when_its_tree_is_asked(parsed: list[str]) -> None:
    pages = [page_with("nothing", f"/{n}?q=1") for n in range(5)] + [
        page_with(LAMP.format("Chair")),
        page_with(LAMP.format("Lamp")),
    ]
    run = Run(pages)
    assert run.ever(lambda page: page.path == "/4")
    assert {page.query.get("q") for page in pages} == {"1", None}
    assert run.ever(has_item("Product", name="Lamp"))
    # Only the most likely page was parsed, though it is the last.
    assert len(parsed) == 1
    assert not run.ever(has_item("Product", name="Desk"))
    assert len(parsed) == 2
