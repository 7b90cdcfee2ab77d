"""What the food service's checkpoints ask of restaurants, dishes and new orders."""

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks
from stressweb.plugins.query import Item, Run, State, at, has_item
from stressweb.plugins.task import Goal

NEW = "/orders/{order.id}"
"""Page of the order that the agent has placed."""


def place_page(place: Entity) -> str:
    """Return the page of a restaurant."""
    return f"/r/{place.id}"


def visited(run: Run, place: Entity, dish: Entity) -> bool:
    """Return whether the agent opened the page of a restaurant or of a dish of it."""
    return run.ever(at(place_page(place))) or run.ever(at(f"/dish/{dish.id}"))


def among_others(run: Run, names: set[str]) -> bool:
    """Return whether the agent saw a list with these restaurants and more."""
    # The first page shows some restaurants to everybody.
    return run.ever(lambda state: state.path != "/" and names < state.names("Restaurant"))


def left_open(run: Run, page: str, kind: str) -> Checks:
    """Check that the agent only looked: it opened a page and left it open."""
    yield "opened the page", run.ever(at(page))
    # Address and content: an error page has the address, too, and shows nothing of it.
    yield "left it open", run.last.path == page and has_item(kind)(run.last)


def holds(cart: State, dish: Entity, **options: object) -> bool:
    """Return whether the basket holds a dish, with these options."""
    return cart.item("OrderItem", name=dish.name, **options) is not None


def meal(run: Run, place: Entity) -> Item | None:
    """Return the order that the agent placed at a restaurant, as its page shows it at the end."""
    return run.closing(NEW).item("Order", seller=place.name)


def line(order: Item | None, dish: str) -> Item | None:
    """Return the line of an order that holds a dish."""
    return order and order.item("OrderItem", name=dish)


def delivered(order: Item | None, goal: Goal) -> bool:
    """Return whether an order goes to the right address at the right time."""
    where = order and order.item("PostalAddress", streetAddress=goal.address.street)
    return bool(where and order and order["scheduledTime"] == goal.slot.id)


def paid(order: Item | None, payment: str, tip: str = "0") -> bool:
    """Return whether an order is paid as wished, with a tip in hundredths."""
    return bool(order and order["paymentMethod"] == payment and order.number("tip") == int(tip) / 100)


def soon(order: Item | None, home: Entity) -> bool:
    """Return whether an order goes to this address as soon as possible."""
    where = order and order.item("PostalAddress", streetAddress=home.street)
    return bool(where and order and order["scheduledTime"] is None)


def plain(order: Item | None) -> bool:
    """Return whether an order has no remarks and no cutlery."""
    return bool(order and order["description"] is None and order["cutlery"] is None)
