"""Conditions on restaurants, dishes and new orders, for the food service's checkpoints."""

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks
from stressweb.plugins.query import Item, Run, State, at, has_item
from stressweb.plugins.task import Goal

NEW = "/orders/{order.id}"
"""Page of the order that the agent placed."""


def place_page(place: Entity) -> str:
    """Return the path of a restaurant's page."""
    return f"/r/{place.id}"


def visited(run: Run, place: Entity, dish: Entity) -> bool:
    """Return whether the agent opened the page of a restaurant or of one of its dishes."""
    return run.ever(at(place_page(place))) or run.ever(at(f"/dish/{dish.id}"))


def among_others(run: Run, names: set[str]) -> bool:
    """Return whether the agent saw a list with these and further restaurants."""
    # Not on the first page, which shows some restaurants to every agent.
    return run.ever(lambda state: state.path != "/" and names < state.names("Restaurant"))


def left_open(run: Run, page: str, kind: str) -> Checks:
    """Check that the agent opened a page and left it open."""
    yield "opened the page", run.ever(at(page))
    # Address and content: an error page could have the same address.
    yield "left it open", run.last.path == page and has_item(kind)(run.last)


def holds(cart: State, dish: Entity, **options: object) -> bool:
    """Return whether a dish with these options is in the basket."""
    return cart.item("OrderItem", name=dish.name, **options) is not None


def meal(run: Run, place: Entity) -> Item | None:
    """Return the order that the agent placed at a restaurant, from its page at the end."""
    return run.closing(NEW).item("Order", seller=place.name)


def line(order: Item | None, dish: str) -> Item | None:
    """Return the line of an order with a dish."""
    return order and order.item("OrderItem", name=dish)


def delivered(order: Item | None, goal: Goal) -> bool:
    """Return whether an order goes to the right address at the right time."""
    address = order and order.item("PostalAddress", streetAddress=goal.address.street)
    return bool(address and order and order["scheduledTime"] == goal.slot.id)


def is_paid_by(order: Item | None, payment: str, tip: str = "0") -> bool:
    """Return whether an order has a payment method and a tip; `tip` is in hundredths."""
    return bool(order and order["paymentMethod"] == payment and order.number("tip") == int(tip) / 100)


def is_immediate(order: Item | None, home: Entity) -> bool:
    """Return whether an order goes to this address as soon as possible."""
    address = order and order.item("PostalAddress", streetAddress=home.street)
    return bool(address and order and order["scheduledTime"] is None)


def is_plain(order: Item | None) -> bool:
    """Return whether an order has no remarks and no cutlery."""
    return bool(order and order["description"] is None and order["cutlery"] is None)
