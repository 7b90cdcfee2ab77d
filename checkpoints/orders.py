"""Conditions on searches, baskets, orders and addresses, for the checkpoints of sites with orders."""

import json
from collections.abc import Callable

from stressweb.core.entity import Entity
from stressweb.html.accessible_name import clean
from stressweb.plugins.query import Item, Run, State, has_item


def signed_in(run: Run, person: str) -> bool:
    """Return whether this person signed in successfully."""
    # From the server's log, because few pages show who is signed in.
    entries = (json.loads(event.detail) for event in run.events() if event.kind == "sign_in")
    return any(entry["done"] and entry["by"] == person for entry in entries)


def is_search_for(word: str) -> Callable[[State], bool]:
    """Return the condition that a page shows the results for a word, in any case."""
    # With the comparison of the site: each spelling that finds the products counts.
    return lambda state: state.path == "/search" and clean(state.query.get("q", "")).casefold() == word.casefold()


def is_sorted(state: State) -> bool:
    """Return whether a page lists products in another order than the default."""
    return state.query.get("sort", "popular") != "popular"


def in_cart(state: State, product: Entity, quantity: int = 1) -> bool:
    """Return whether the cart has this quantity of a product."""
    return has_item("OrderItem", name=product.name, orderQuantity=quantity)(state)


def order_of(product: str, page: State) -> Item | None:
    """Return the order on a page with a product."""
    # By the product: the number of a new order is not known when the goal is drawn.
    return next((order for order in page.items("Order") if order.item("OrderItem", name=product)), None)


def shows_order(number: str) -> Callable[[State], bool]:
    """Return the condition that a page shows an order, whose name ends with its number."""
    return lambda state: any(name is not None and name.split()[-1:] == [number] for name in state.names("Order"))


def town_properties(address: Entity) -> dict[str, object]:
    """Return postcode and town in the pages' microdata."""
    return {"postalCode": address.postcode, "addressLocality": address.city}


def bought(run: Run, owner: str, product: Entity) -> bool:
    """Return whether a customer ordered a product."""
    return any(line.owner == owner and line.product == product.id for line in run.added("order_line"))


def same_person(run: Run) -> bool:
    """Return whether an address has another street, but the same recipient and phone number."""
    moved = [(before, after) for before, after in run.altered("address") if after.street != before.street]
    return bool(moved) and all((old.recipient, old.phone) == (new.recipient, new.phone) for old, new in moved)
