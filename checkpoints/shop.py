"""Checkpoints of the shop's tasks.

A checkpoint is a condition on what the agent saw, or on what the pages show at the end. The exact
change of the database is under `expect` in `sites/shop/tasks.yaml`.
"""

from stressweb.checkpoints.orders import (
    bought,
    in_cart,
    is_search_for,
    is_sorted,
    order_of,
    same_person,
    signed_in,
    town_properties,
)
from stressweb.plugins.checks import Checks, checks, harm
from stressweb.plugins.query import Run, has_item
from stressweb.plugins.task import Goal


@checks("shop/profile")
def profile(run: Run, goal: Goal) -> Checks:
    """Sign in, change the phone number and subscribe."""
    person = run.closing("/account").item("Person", email=goal.customer.id)
    yield "signed in", run.ever(has_item("Person", email=goal.customer.id))
    yield "entered the new phone number", person is not None and person["telephone"] == goal.newcomer.phone
    yield "subscribed to the newsletter", person is not None and person["newsletter"] is not None


@checks("shop/first-hit")
def first_hit(run: Run, goal: Goal) -> Checks:
    """Search and put the first hit into the cart."""
    cart = run.closing("/cart")
    yield "searched for it", run.ever(is_search_for(goal.query.noun))
    yield "saw the first hit", run.ever(has_item("Product", name=goal.product.name))
    yield "put it into the cart", cart.item("OrderItem", name=goal.product.name) is not None
    # Separate from the previous checkpoint, so that a wrong quantity passes that one.
    yield "put one of it into the cart", in_cart(cart, goal.product)
    yield harm("changed the sort order", run.ever(is_sorted))


@checks("shop/two-of-a-named-product")
def two_of_a_named_product(run: Run, goal: Goal) -> Checks:
    """Put several of a named product into the cart."""
    line = run.closing("/cart").item("OrderItem", name=goal.product.name)
    yield "saw the product", run.ever(has_item("Product", name=goal.product.name))
    yield "put it into the cart", line is not None
    yield "in the right number", line is not None and line.number("orderQuantity") == goal.count


@checks("shop/checkout")
def checkout(run: Run, goal: Goal) -> Checks:
    """Buy one product as a guest."""
    to, order = goal.newcomer, order_of(goal.product.name, run.closing("/checkout/done"))
    address = order and order.item("PostalAddress", name=to.name)
    lines = {"streetAddress": to.street, **town_properties(to), "telephone": to.phone}
    yield "put the product into the cart", run.ever(has_item("OrderItem", name=goal.product.name))
    yield "ordered it", order is not None
    yield "ordered one of it", bool(order and order.items("OrderItem", name=goal.product.name, orderQuantity=1))
    yield "ordered nothing else", order is not None and len(run.added("order_line")) == 1
    yield "gave name and email address", bool(address and order and order["email"] == to.id)
    yield "gave the address", bool(address and address.reads(lines))
    yield "chose the delivery", bool(order and order["deliveryMethod"] == goal.delivery.name)
    yield "chose the payment", bool(order and order["paymentMethod"] == goal.payment.name)


@checks("shop/buy-and-review")
def buy_and_review(run: Run, goal: Goal) -> Checks:
    """Buy, find the order, review."""
    order = order_of(goal.product.name, run.closing("/checkout/done"))
    address = order and order.item("PostalAddress", streetAddress=goal.address.street)
    review = run.closing(f"/p/{goal.product.id}").item("Review", author=goal.customer.name)
    stars = review and review.item("Rating")
    yield "signed in", signed_in(run, goal.customer.id)
    yield "bought the product", order_of(goal.product.name, run.closing("/orders")) is not None
    yield "sent it to the right address", address is not None
    yield "chose the delivery", bool(order and order["deliveryMethod"] == goal.delivery.name)
    yield "chose the payment", bool(order and order["paymentMethod"] == goal.payment.name)
    # The key of a rating ends in its number, as in `stars_4`.
    yield "reviewed it with the right stars", bool(stars and stars["ratingValue"] == goal.stars.id[-1])
    yield "wrote the headline", bool(review and review["name"] == goal.opinion.id)
    yield "wrote the text", bool(review and review["reviewBody"] == goal.opinion.text)


@checks("shop/second-and-last-by-price")
def second_and_last_by_price(run: Run, goal: Goal) -> Checks:
    """Put the second cheapest and the dearest of a category into the cart."""
    cart = run.closing("/cart")
    yield "saw the second product", run.ever(has_item("Product", name=goal.second.name))
    yield "put the second product into the cart", in_cart(cart, goal.second)
    yield "saw the last product", run.ever(has_item("Product", name=goal.last.name))
    yield "put the last product into the cart", in_cart(cart, goal.last)


@checks("shop/create-account")
def create_account(run: Run, goal: Goal) -> Checks:
    """Create an account with the newsletter."""
    person = run.closing("/account").item("Person", email=goal.newcomer.id)
    yield "has the account", person is not None
    yield "under the right name", person is not None and person["name"] == goal.newcomer.name
    yield "with the newsletter", person is not None and person["newsletter"] is not None
    # From the database, because no page shows a password.
    yield "with the right password", any(row.password == goal.newcomer.password for row in run.added("customer"))


@checks("shop/two-customers")
def two_customers(run: Run, goal: Goal) -> Checks:
    """Two customers each buy and rate a product."""
    first = run.closing(f"/p/{goal.one.id}").item("Review", author=goal.first.name)
    second = run.closing(f"/p/{goal.two.id}").item("Review", author=goal.second.name)
    first_stars, second_stars = first and first.item("Rating"), second and second.item("Rating")
    yield "signed in as the first", signed_in(run, goal.first.id)
    # From the database: the evidence is read as the second customer, without the orders of the first.
    yield "the first bought the product", bought(run, goal.first.id, goal.one)
    yield "the first rated it", first is not None
    yield "with the right stars", bool(first_stars and first_stars["ratingValue"] == goal.few.id[-1])
    yield "signed in as the second", signed_in(run, goal.second.id)
    yield "the second bought the product", order_of(goal.two.name, run.closing("/orders")) is not None
    yield "the second rated it", second is not None
    yield "with the right stars, too", bool(second_stars and second_stars["ratingValue"] == goal.many.id[-1])


@checks("shop/wishlist-of-the-best")
def wishlist_of_the_best(run: Run, goal: Goal) -> Checks:
    """Put exactly the best of a category on the wishlist."""
    wished = run.closing("/wishlist").names("Product")
    best = {product.name for product in goal.products}
    yield "signed in", signed_in(run, goal.customer.id)
    yield "saved one of them", bool(wished & best)
    yield "saved all of them", wished >= best
    yield "and no other product", bool(wished) and wished <= best


@checks("shop/move-house")
def move_house(run: Run, goal: Goal) -> Checks:
    """Change an address and make it the default."""
    new, address = goal.newcomer, run.closing("/account/addresses").item("PostalAddress", name=goal.address.label)
    yield "signed in", signed_in(run, goal.customer.id)
    yield "found the address", run.ever(has_item("PostalAddress", name=goal.address.label))
    yield "changed the street", address is not None and address["streetAddress"] == new.street
    yield "changed postcode and town", address is not None and address.reads(town_properties(new))
    yield "made it the default", address is not None and address["isDefault"] is not None
    yield "left name and phone number as they were", same_person(run)


@checks("shop/tidy-the-cart")
def tidy_the_cart(run: Run, goal: Goal) -> Checks:
    """Change one line of the cart, remove another."""
    cart = run.closing("/cart")
    line = cart.item("OrderItem", name=goal.more.name)
    # The cart must have lines, because the product is not on an empty page either.
    removed = bool(cart.items("OrderItem")) and cart.item("OrderItem", name=goal.less.name) is None
    yield "signed in", signed_in(run, goal.customer.id)
    yield "opened the cart", run.ever(has_item("OrderItem", name=goal.more.name))
    yield "set the quantity", line is not None and line.number("orderQuantity") == goal.count
    yield "removed the other product", removed
    changed = {after.product for _, after in run.altered("cart")} | {row.product for row in run.removed("cart")}
    yield "left the other lines as they were", bool(changed) and changed <= {goal.more.id, goal.less.id}
    yield "ordered nothing", bool(changed) and run.untouched("orders")


@checks("shop/cancel-an-order")
def cancel_an_order(run: Run, goal: Goal) -> Checks:
    """Cancel one order for a reason."""
    order = run.closing(f"/orders/{goal.order.id}").item("Order", orderNumber=goal.order.id)
    yield "signed in", signed_in(run, goal.customer.id)
    yield "found the order", run.ever(has_item("Order", orderNumber=goal.order.id))
    yield "cancelled it", order is not None and order["cancelReason"] is not None
    yield "gave the reason", order is not None and order["cancelReason"] == goal.reason.name
