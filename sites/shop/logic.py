"""Data and actions of the shop that its spec cannot express: costs, checkout, orders, reviews."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, RefusedError, Visit
from stressweb.sites.kit.mixins.basket.logic import put_line
from stressweb.sites.kit.mixins.orders.logic import latest_order, order_number
from stressweb.sites.kit.mixins.people.logic import cast
from stressweb.sites.kit.mixins.reviews.logic import publish
from stressweb.sites.kit.mixins.search.logic import search_words
from stressweb.sites.kit.widgets.listing.model import words
from stressweb.sites.shop.deliveries import arrival, costs, order_days
from stressweb.sites.shop.motifs import MOTIFS

# The kit draws pictures of the motifs.
__all__ = ["MOTIFS"]

_IDEAS = 6
"""Number of suggested searches on the search page."""


def customers(drawing: Drawing) -> Iterator[Mapping[str, Any]]:
    """Yield the people who can sign in: the first people of the world, each with a different history."""
    for person, persona in zip(cast(drawing), ("regular", "second", "saver", "patient"), strict=False):
        yield {**person, "persona": persona}


def cart_totals(visit: Visit) -> Mapping[str, Any]:
    """Return the cart's lines and costs."""
    lines = _lines(visit)
    goods = sum(line.quantity * line.product.price for line in lines)
    # Before a delivery is chosen in the draft, the cart shows the costs of standard delivery.
    delivery = visit.session.notes.get("draft", {}).get("delivery", "")
    return {"lines": lines, **_in_money(visit, costs(goods, delivery))}


def search_page(visit: Visit) -> Mapping[str, Any]:
    """Return the query and suggested searches: for kinds of product in the same categories, or for popular kinds."""
    query = search_words(visit)["args"]
    wanted = words(query["q"])
    products = sorted(visit.store.where("Product", {}), key=lambda product: -product.popularity)
    hits = [row for row in products if wanted and wanted <= words(f"{row.name} {row.category} {row.brand}")]
    categories = {product.category for product in hits or products}
    nouns = dict.fromkeys(product.noun for product in products if product.category in categories)
    ideas = [Entity(id=noun, query=urlencode({"q": noun})) for noun in nouns if words(noun) != wanted][:_IDEAS]
    return {"args": query, "hits": hits, "ideas": ideas}


def product_page(visit: Visit) -> Mapping[str, Any]:
    """Return whether the visitor has bought the product, and its day of arrival if ordered now."""
    return {"bought": _has_bought(visit, visit.names["product"].id), "arrives": arrival(visit.today, "").isoformat()}


def checkout_start(visit: Visit) -> Mapping[str, Any]:
    """Return the cart and whether there are saved addresses for it."""
    totals = cart_totals(visit)
    saved = visit.names["me"] and visit.store.where("Address", {"owner": visit.session.owner})
    return {**totals, "saved": bool(totals["lines"] and saved)}


def checkout_draft(visit: Visit) -> Mapping[str, Any]:
    """Return the answers of the checkout so far; empty without a cart."""
    totals = cart_totals(visit)
    # A draft may outlive its cart; without lines there is nothing to check out.
    draft = visit.session.notes.get("draft", {}) if totals["lines"] else {}
    arrives = arrival(visit.today, draft.get("delivery", "")).isoformat()
    return {**totals, "draft": Entity({**draft, "arrives": arrives} if draft else {})}


def confirmation(visit: Visit) -> Mapping[str, Any]:
    """Return the visitor's latest order with its days and costs."""
    order = latest_order(visit)["order"]
    return _purchase(visit, order) if order else {"purchase": None}


def order_list(visit: Visit) -> Mapping[str, Any]:
    """Return the orders of a customer, the latest first."""
    orders = visit.store.where("Order", {"owner": visit.session.owner})
    latest = sorted(orders, key=lambda order: (order.placed, order.id), reverse=True)
    return {"purchases": [_purchase(visit, order)["purchase"] for order in latest]}


def order_page(visit: Visit) -> Mapping[str, Any]:
    """Return an order with its days and costs."""
    return _purchase(visit, visit.names["order"])


def add_to_cart(visit: Visit) -> None:
    """Add a product to the cart, to the quantity already in it."""
    _put_line(visit, visit.session.owner, visit.values["product"].id, visit.values["quantity"])


def take_cart_along(visit: Visit) -> None:
    """Move the visitor's cart to the customer who signs in."""
    for line in _lines(visit):
        _put_line(visit, visit.names["person"].id, line.product.id, line.quantity)
    visit.store.drop("Cart", {"owner": visit.session.owner})


def use_saved(visit: Visit) -> None:
    """Deliver to a saved address."""
    address = visit.values["saved"]
    # A customer's key is the email address.
    _draft(visit, email=visit.session.owner, **{name: address[name] for name in _ADDRESS})


def use_address(visit: Visit) -> None:
    """Deliver to an entered address."""
    _draft(visit, **{name: visit.values[name] for name in (*_ADDRESS, "email")})


def use_delivery(visit: Visit) -> None:
    """Save the delivery and the payment of the order."""
    # Each step has its own address, so an agent can skip the previous step.
    if "recipient" not in visit.session.notes.get("draft", {}):
        raise RefusedError("error_draft")
    _draft(visit, delivery=visit.values["delivery"], payment=visit.values["payment"])


def place_order(visit: Visit) -> None:
    """Turn the cart into an order; raises RefusedError if the checkout is incomplete."""
    draft = visit.session.notes.get("draft", {})
    lines = _lines(visit)
    if not lines:
        raise RefusedError("error_cart")
    # Check only the delivery, which cannot be saved before the address.
    if "delivery" not in draft:
        raise RefusedError("error_draft")
    number, owner = order_number(visit), visit.session.owner
    head = {"id": number, "owner": owner, "placed": visit.store.now, "status": "status_processing", "reason": ""}
    visit.store.put("Order", {**head, **draft})
    for line in lines:
        key = {"id": f"{number}/{line.product.id}", "order": number, "owner": owner, "product": line.product.id}
        # Copy name and price, so that the order keeps those of its day.
        columns = {"name": line.product.name, "price": line.product.price, "quantity": line.quantity}
        visit.store.put("OrderLine", {**key, **columns})
    visit.store.drop("Cart", {"owner": owner})
    del visit.session.notes["draft"]


def reorder(visit: Visit) -> None:
    """Put the products of an order that are in stock into the cart."""
    lines = visit.store.where("OrderLine", {"order": visit.values["order"].id})
    lines_with_products = [visit.store.joined(line, {"product": "Product"}) for line in lines]
    in_stock = [line for line in lines_with_products if line.product.in_stock]
    if not in_stock:
        raise RefusedError("error_reorder")
    for line in in_stock:
        _put_line(visit, visit.session.owner, line.product.id, line.quantity)


def return_order(visit: Visit) -> None:
    """Register the return of an order; raises RefusedError if it cannot be returned."""
    order = visit.values["order"]
    if not _purchase(visit, order)["purchase"].return_until:
        raise RefusedError("error_return")
    visit.store.change("Order", {"id": order.id}, {"status": "status_returned", "reason": visit.values["reason"]})


def send_review(visit: Visit) -> None:
    """Publish a customer's review of a product that they have bought and not yet reviewed."""
    product = visit.values["product"].id
    if not _has_bought(visit, product):
        raise RefusedError("error_bought")
    publish(visit, product, product=product)


_ADDRESS = ("recipient", "street", "city", "postcode", "phone")


def _lines(visit: Visit) -> list[Entity]:
    rows = visit.store.where("Cart", {"owner": visit.session.owner})
    return [visit.store.joined(row, {"product": "Product"}) for row in rows]


def _put_line(visit: Visit, owner: str, product: str, quantity: int) -> None:
    put_line(visit, f"{owner}/{product}", {"owner": owner, "product": product}, quantity)


def _draft(visit: Visit, **answers: Any) -> None:
    visit.session.notes["draft"] = {**visit.session.notes.get("draft", {}), **answers}


def _purchase(visit: Visit, order: Entity) -> dict[str, Any]:
    """Return an order with its days and total, and its costs as text."""
    lines = visit.store.where("OrderLine", {"order": order.id})
    paid = costs(sum(line.quantity * line.price for line in lines), order.delivery)
    days = order_days(order, visit.today, int(visit.world.labels["word_return_time"].split()[0]))
    return {"purchase": Entity({**order, **days, "total": paid["total"]}), "paid": Entity(_in_money(visit, paid))}


def _in_money(visit: Visit, amounts: Mapping[str, int]) -> dict[str, str]:
    return {name: visit.look.money(cents) for name, cents in amounts.items()}


def _has_bought(visit: Visit, product: str) -> bool:
    # Guests cannot write reviews, because a review needs a name.
    owner = visit.names["me"] and visit.session.owner
    lines = visit.store.where("OrderLine", {"owner": owner, "product": product}) if owner else []
    # Cancelled orders do not count.
    orders = (visit.store.one("Order", line.order) for line in lines)
    return any(order is not None and order.status != "status_cancelled" for order in orders)
