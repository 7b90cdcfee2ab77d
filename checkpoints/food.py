"""Checkpoints of the food service's tasks."""

from stressweb.checkpoints.meals import (
    NEW,
    among_others,
    delivered,
    holds,
    is_immediate,
    is_paid_by,
    is_plain,
    left_open,
    line,
    meal,
    place_page,
    visited,
)
from stressweb.checkpoints.orders import same_person, shows_order, town_properties
from stressweb.plugins.checks import Checks, checks
from stressweb.plugins.query import Run, at, has_item
from stressweb.plugins.task import Goal


@checks("food/favourite-the-best")
def favourite_the_best(run: Run, goal: Goal) -> Checks:
    """Make exactly the best restaurants of a cuisine favourites."""
    favourites, best = run.closing("/favourites").names("Restaurant"), {place.name for place in goal.places}
    yield "found one of them", any(among_others(run, {name}) for name in best)
    yield "made one of them a favourite", bool(favourites & best)
    yield "made all of them favourites", favourites >= best
    # By the change of the table: in a chain, another part may add another favourite.
    yield "made no other one a favourite", bool(favourites & best) and run.only("restaurant", goal.places, "favourite")


@checks("food/third-fastest")
def third_fastest(run: Run, goal: Goal) -> Checks:
    """Open the page of one restaurant of many."""
    yield "saw it among others", among_others(run, {goal.place.name})
    yield from left_open(run, place_page(goal.place), "Restaurant")
    yield "left the basket as it was", run.ever(at(place_page(goal.place))) and run.untouched("cart")


@checks("food/new-address")
def new_address(run: Run, goal: Goal) -> Checks:
    """Change an address and make it the default."""
    new, address = goal.newcomer, run.closing("/account/addresses").item("PostalAddress", name=goal.address.label)
    yield "found the address", run.ever(has_item("PostalAddress", name=goal.address.label))
    yield "changed the street", address is not None and address["streetAddress"] == new.street
    yield "changed postcode and town", address is not None and address.reads(town_properties(new))
    yield "wrote the note", address is not None and address["description"] == goal.remark.text
    yield "made it the default", address is not None and address["isDefault"] is not None
    yield "left name and phone number as they were", same_person(run)


@checks("food/cheapest-main")
def cheapest_main(run: Run, goal: Goal) -> Checks:
    """Put the cheapest main course of one restaurant of many into the basket."""
    cart = run.closing("/cart")
    yield "found the restaurant", visited(run, goal.place, goal.dish)
    yield "put its cheapest main course into the basket", holds(cart, goal.dish)
    yield "one of it", holds(cart, goal.dish, orderQuantity=1)
    yield "in the smallest size", holds(cart, goal.dish, size=goal.size.name)
    chosen = cart.item("OrderItem", name=goal.dish.name)
    yield "without extras", chosen is not None and chosen["extras"] is None


@checks("food/latest-receipt")
def latest_receipt(run: Run, goal: Goal) -> Checks:
    """Open the receipt of one order of many."""
    yield "found the order", run.ever(shows_order(goal.past.id))
    receipt = f"/orders/{goal.past.id}/receipt"
    yield from left_open(run, receipt, "Invoice")
    yield "ordered nothing", run.ever(at(receipt)) and run.untouched("orders", "cart")


@checks("food/dish-with-options")
def dish_with_options(run: Run, goal: Goal) -> Checks:
    """Put a dish with given options into the basket."""
    cart, dish = run.closing("/cart"), goal.dish
    yield "found the dish", visited(run, goal.place, dish)
    yield "put it into the basket", holds(cart, dish)
    yield "in the right size", holds(cart, dish, size=goal.size.name)
    yield "with both on top", holds(cart, dish, extras=f"{goal.one.name}, {goal.two.name}")
    yield "with a note for the kitchen", holds(cart, dish, note=goal.note.text)
    yield "in the right number", holds(cart, dish, orderQuantity=goal.count)


@checks("food/order-for-tomorrow")
def order_for_tomorrow(run: Run, goal: Goal) -> Checks:
    """Order two dishes for another day, with remarks and a tip."""
    order = meal(run, goal.place)
    dish, drink = line(order, goal.dish.name), line(order, goal.drink.name)
    yield "found the restaurant", visited(run, goal.place, goal.dish)
    yield "ordered the dish as wished", bool(dish and dish.reads({"size": goal.size.name, "orderQuantity": goal.count}))
    yield "ordered the drink", bool(drink and drink.reads({"size": goal.large.name, "orderQuantity": 1}))
    yield "sent it to the right address at the right time", delivered(order, goal)
    yield "gave the tip and pays as wished", is_paid_by(order, goal.payment.name, goal.tip.value)
    yield "left the remark", bool(order and order["description"] == goal.remark.text)
    yield (
        "without extras",
        bool(dish and drink) and not any(ordered_line["extras"] for ordered_line in (dish, drink) if ordered_line),
    )
    yield "asked for no cutlery", bool(order and order["cutlery"] is None)


@checks("food/reorder-with-a-code")
def reorder_with_a_code(run: Run, goal: Goal) -> Checks:
    """Repeat an order, with the best code."""
    order = run.closing(NEW).item("Order", seller=goal.past.name)
    yield "found the order", run.ever(shows_order(goal.past.id))
    yield "ordered there again", order is not None
    yield "ordered all of it", bool(order) and all(line(order, earlier_line.name) for earlier_line in goal.lines)
    yield "and nothing else", order is not None and len(order.items("OrderItem")) == len(goal.lines)
    yield "as soon as possible, to the default address", is_immediate(order, goal.home)
    yield "without remarks or cutlery", is_plain(order)
    yield "used the best code", bool(order and order["discountCode"] == goal.past.code)
    yield "gave the tip and pays as wished", is_paid_by(order, goal.payment.name, goal.tip.value)


@checks("food/order-and-cancel")
def order_and_cancel(run: Run, goal: Goal) -> Checks:
    """Order something and cancel it."""
    order = meal(run, goal.place)
    yield "found the dish", visited(run, goal.place, goal.dish)
    dish = line(order, goal.dish.name)
    yield "ordered it", dish is not None
    yield "in the smallest size, without extras", bool(dish and dish["size"] == goal.size.name and not dish["extras"])
    yield "pays as wished, without a tip", is_paid_by(order, goal.payment.name)
    yield "to the default address, without remarks or cutlery", is_immediate(order, goal.home) and is_plain(order)
    yield "cancelled the order", bool(order and order["cancelReason"])
    yield "gave the reason", bool(order and order["cancelReason"] == goal.reason.name)
    yield "left the other orders as they were", order is not None and not run.altered("orders")


@checks("food/praise-and-repeat")
def praise_and_repeat(run: Run, goal: Goal) -> Checks:
    """Review an order, make the restaurant a favourite, and order more of the same."""
    order = meal(run, goal.place)
    review = run.closing(f"{place_page(goal.place)}/reviews").item("Review", name=goal.opinion.id)
    stars, more = review and review.item("Rating"), line(order, goal.line.name)
    yield "reviewed the order", bool(review and review["reviewBody"] == goal.opinion.text)
    yield "gave the stars", bool(stars and stars["ratingValue"] == goal.stars.value)
    yield "made the restaurant a favourite", goal.place.name in run.closing("/favourites").names("Restaurant")
    yield "ordered the same again", bool(order) and all(line(order, earlier_line.name) for earlier_line in goal.others)
    yield "changed the number of one dish", bool(more and more.reads({"orderQuantity": goal.count}))
    yield "sent it to the right address at the right time", delivered(order, goal)
    yield "gave the tip and pays as wished", is_paid_by(order, goal.payment.name, goal.tip.value)
    bare = bool(order and not order["description"] and not order["discountCode"])
    yield "with cutlery, without remarks or a code", bare and bool(order and order["cutlery"])
