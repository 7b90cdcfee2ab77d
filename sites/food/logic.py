"""Data and actions of the food delivery site that its spec cannot express: menus, baskets, their costs, and orders."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.food.derived_entities import newcomers, past, shelves
from stressweb.sites.food.plan import (
    addresses,
    cuisines,
    customers,
    dishes,
    extras,
    highlights,
    order_lines,
    orders,
    promos,
    restaurants,
    reviews,
    sizes,
    slots,
)
from stressweb.sites.food.promos import discount, problem
from stressweb.sites.kit import RefusedError, Visit, moment
from stressweb.sites.kit.mixins.basket.logic import put_line
from stressweb.sites.kit.mixins.orders.logic import order_number
from stressweb.sites.kit.mixins.restaurants.motifs import MOTIFS
from stressweb.sites.kit.mixins.reviews.logic import publish
from stressweb.sites.kit.widgets.listing.model import words

# The kit draws pictures of the motifs, and calls the functions for the data of a world.
__all__ = [
    "MOTIFS", "addresses", "cuisines", "customers", "dishes", "extras", "highlights", "newcomers", "order_lines",
    "orders", "past", "promos", "restaurants", "reviews", "shelves", "sizes", "slots",
]  # fmt: skip

_USUAL = 4
_DIETS = {"vegetarian": ("diet_vegetarian", "diet_vegan"), "vegan": ("diet_vegan",)}
"""Filters of a menu, with the diets of matching dishes."""
_MARGIN = 10
"""Length in minutes of the period in which an order is expected."""


def usual(visit: Visit) -> Mapping[str, Any]:
    """Return the restaurants of the latest orders, without repeats, the default address, and dishes with pictures."""
    addresses = visit.store.where("Address", {"owner": visit.session.owner, "is_default": 1})
    keys = [order.restaurant for order in reversed(visit.store.where("Order", {"owner": visit.session.owner}))]
    places = [visit.store.one("Restaurant", key) for key in list(dict.fromkeys(keys))[:_USUAL]]
    return {"places": places, "addresses": addresses, "dishes": visit.world.entities["Highlight"]}


def menu(visit: Visit) -> Mapping[str, Any]:
    """Return the dishes of a restaurant that match the words and the diet in the query, by course."""
    query, diet = visit.args.get("dish", "").strip(), visit.args.get("diet", "")
    courses: dict[str, list[Entity]] = {}
    wanted = words(query)
    for dish in visit.store.where("Dish", {"restaurant": visit.names["restaurant"].id}):
        text = f"{dish.name} {dish.text}".casefold()
        if all(word in text for word in wanted) and (diet not in _DIETS or dish.diet in _DIETS[diet]):
            courses.setdefault(dish.course, []).append(dish)
    menu_form = Entity(dish=query, diet=diet if diet in _DIETS else "")
    return {"courses": Entity(courses), "any_dish": bool(courses), "asked": menu_form}


def dish_page(visit: Visit) -> Mapping[str, Any]:
    """Return the restaurant of a dish, and whether it is closed."""
    restaurant = _restaurant(visit, visit.names["dish"].restaurant)
    return {"restaurant": restaurant, "closed": not restaurant.open}


def basket(visit: Visit) -> Mapping[str, Any]:
    """Return the content of the basket, its restaurant, and its costs."""
    lines = _lines(visit)
    restaurant = _restaurant(visit, lines[0].restaurant) if lines else None
    costs = _costs(visit, lines, restaurant)
    missing = max(0, restaurant.minimum - costs["subtotal"]) if restaurant else 0
    least = visit.look.money(restaurant.minimum) if restaurant else ""
    paid = Entity({name: visit.look.money(cents) for name, cents in costs.items()})
    return {"lines": lines, "restaurant": restaurant, "paid": paid, "missing": missing, "least": least}


def order_page(visit: Visit) -> Mapping[str, Any]:
    """Return the costs of an order, its arrival time, and whether it can still be cancelled."""
    order = visit.names["order"]
    names = ("subtotal", "discount", "fee", "tip", "total")
    paid = Entity({name: visit.look.money(order[name]) for name in names})
    slot = visit.store.one("Slot", order.slot)
    times = {
        "arrival": _arrival(visit, order) if order.status == "status_preparing" else "",
        "slot_name": slot and slot.name,
    }
    running = order.status not in ("status_delivered", "status_cancelled")
    return {"purchase": Entity({**order, **times}), "paid": paid, "running": running}


def _arrival(visit: Visit, order: Entity) -> str:
    """Return the expected arrival of an order in preparation, such as `Today, 09:30 to 09:40`."""
    earliest = datetime.fromisoformat(order.placed) + timedelta(minutes=order.restaurant.minutes)
    earliest += timedelta(minutes=-earliest.minute % 5)
    return f"{visit.past(moment(earliest))} to {earliest + timedelta(minutes=_MARGIN):%H:%M}"


def add_dish(visit: Visit) -> None:
    """Put a dish with its options into the basket; the same dish with other options is a separate line."""
    dish, size, owner = visit.values["dish"], visit.values["size"], visit.session.owner
    chosen = visit.values["extras"]
    # A form can send an extra of another restaurant.
    if any(extra.family != dish.extras for extra in chosen):
        raise RefusedError("error_choice", "extras")
    if not _restaurant(visit, dish.restaurant).open:
        raise RefusedError("error_closed")
    if any(line.restaurant != dish.restaurant for line in _lines(visit)):
        raise RefusedError("error_one_place")
    chosen = sorted(chosen, key=lambda extra: extra.position)
    options = {
        "size": size.name,
        "extras": ", ".join(extra.name for extra in chosen),
        "note": visit.values["note"],
        "price": dish.price + size.more + sum(extra.price for extra in chosen),
    }
    _put(visit, owner, dish, visit.values["quantity"], options)


def use_promo(visit: Visit) -> None:
    """Save a code for the order, which is checked again when the order is placed."""
    code = visit.values["promo"].upper()
    lines = _lines(visit)
    promo = visit.store.one("Promo", code)
    if not lines:
        raise RefusedError("error_cart")
    if promo is None:
        raise RefusedError("error_promo", "promo")
    if wrong := problem(promo, _goods(lines), _restaurant(visit, lines[0].restaurant).cuisine, visit.today):
        raise RefusedError(wrong, "promo")
    visit.store.put("UsedPromo", {"id": visit.session.owner, "promo": code})


def place_order(visit: Visit) -> Mapping[str, Any]:
    """Turn the basket into an order."""
    lines, answers, owner = _lines(visit), visit.values, visit.session.owner
    if not lines:
        raise RefusedError("error_cart")
    restaurant = _restaurant(visit, lines[0].restaurant)
    costs = _costs(visit, lines, restaurant)
    if costs["subtotal"] < restaurant.minimum:
        raise RefusedError("error_minimum")
    tip, number = int(answers["tip"]), order_number(visit)
    status = "status_scheduled" if answers["slot"] else "status_preparing"
    order = {
        "id": number,
        "owner": owner,
        "restaurant": restaurant.id,
        "placed": visit.store.now,
        "status": status,
        **{name: answers["address"][name] for name in _ADDRESS},
        **{name: answers[name] for name in ("slot", "remarks", "cutlery", "payment")},
        **costs,
        "tip": tip,
        "total": costs["total"] + tip,
        "reason": "",
        "promo": _promo(visit) if costs["discount"] else "",
    }
    visit.store.put("Order", order)
    for index, line in enumerate(lines):
        copied = {name: line[name] for name in ("size", "extras", "note", "quantity", "price")}
        key = {"id": f"{number}/{index}", "order": number, "owner": owner}
        visit.store.put("OrderLine", {**key, "dish": line.dish.id, "name": line.dish.name, **copied})
    visit.store.drop("Cart", {"owner": owner})
    visit.store.drop("UsedPromo", {"id": owner})
    return {"made": Entity(order)}


def reorder(visit: Visit) -> None:
    """Replace the content of the basket by that of an order."""
    order, owner = visit.values["order"], visit.session.owner
    if not _restaurant(visit, order.restaurant).open:
        raise RefusedError("error_closed")
    visit.store.drop("Cart", {"owner": owner})
    for line in visit.store.where("OrderLine", {"order": order.id}):
        dish = visit.store.one("Dish", line.dish)
        assert dish is not None, "dishes stay on the menu"
        _put(visit, owner, dish, line.quantity, {name: line[name] for name in ("size", "extras", "note", "price")})


def send_review(visit: Visit) -> None:
    """Publish a person's review of a restaurant from which they have ordered."""
    restaurant = visit.values["order"].restaurant
    publish(visit, restaurant, restaurant=restaurant, helpful=0)


_ADDRESS = ("recipient", "street", "postcode", "city", "phone", "instructions")


def _restaurant(visit: Visit, key: str) -> Entity:
    restaurant = visit.store.one("Restaurant", key)
    assert restaurant is not None, "restaurants are never deleted"
    return restaurant


def _lines(visit: Visit) -> list[Entity]:
    rows = visit.store.where("Cart", {"owner": visit.session.owner})
    return [visit.store.joined(row, {"dish": "Dish"}) for row in rows]


def _put(visit: Visit, owner: str, dish: Entity, quantity: int, options: Mapping[str, Any]) -> None:
    same = visit.store.where("Cart", {"owner": owner, "dish": dish.id, **{name: options[name] for name in _OPTIONS}})
    # A dish can be in the basket several times with different options, so its keys are numbered.
    key = same[0].id if same else visit.store.free_key("Cart", {"owner": owner, "dish": dish.id})
    put_line(visit, key, {"owner": owner, "restaurant": dish.restaurant, "dish": dish.id, **options}, quantity)


_OPTIONS = ("size", "extras", "note")


def _promo(visit: Visit) -> str:
    """Return the code that is saved for the order; empty if there is none."""
    used = visit.store.one("UsedPromo", visit.session.owner)
    return used.promo if used else ""


def _goods(lines: Sequence[Entity]) -> int:
    return sum(int(line.price) * int(line.quantity) for line in lines)


def _costs(visit: Visit, lines: Sequence[Entity], restaurant: Entity | None) -> dict[str, int]:
    """Return the costs of a basket, in hundredths."""
    goods, fee = _goods(lines), restaurant.fee if restaurant else 0
    code = _promo(visit)
    promo = visit.store.one("Promo", code) if code else None
    saving = discount(promo, goods, fee, restaurant.cuisine, visit.today) if promo and restaurant else 0
    return {"subtotal": goods, "discount": saving, "fee": fee, "total": goods + fee - saving}
