"""What counts as done in the shop: each task's checkpoints, and its verdict from the final database."""

import json
from collections.abc import Callable

from checkpoints.rows import kept, only, same, touched
from stressweb.checks import Checks, checks, harm, verdict
from stressweb.query import Item, Run, State, has_item
from stressweb.records import Entity
from stressweb.tasks import Goal

CHECKOUT = frozenset(("cart", "orders", "order_line"))


def signed_in(run: Run, person: str) -> bool:
    """Return whether the server let this person in."""
    entries = (json.loads(event.detail) for event in run.events() if event.kind == "sign_in")
    return any(entry["done"] and entry["by"] == person for entry in entries)


def searched(word: str) -> Callable[[State], bool]:
    """Return whether a page shows what the shop found for a word."""
    return lambda state: state.path == "/search" and word.casefold() in state.title.casefold()


def in_cart(state: State, product: Entity, quantity: int = 1) -> bool:
    """Return whether the cart holds so many of a product."""
    return has_item("OrderItem", name=product.name, orderQuantity=quantity)(state)


def ordered(product: str, seen: State) -> Item | None:
    """Return the order on a page that holds a product."""
    return next((order for order in seen.items("Order") if order.item("OrderItem", name=product)), None)


def bought(run: Run, owner: str, product: Entity) -> bool:
    """Return whether one piece of a product, and nothing with it, was ordered by its owner."""
    orders = [order for order in run.added("orders") if order.owner == owner]
    lines = [line for line in run.added("order_line") if line.owner == owner]
    return len(orders) == 1 and only(tuple(lines), product=product.id, quantity=1, order=orders[0].id)


@checks("shop/profile")
def profile(run: Run, goal: Goal) -> Checks:
    """Sign in, change the phone number and subscribe."""
    person = run.closing("/account").item("Person", email=goal.customer.id)
    yield "signed in", run.ever(has_item("Person", email=goal.customer.id))
    yield "entered the new phone number", person is not None and person["telephone"] == goal.newcomer.phone
    yield "subscribed to the newsletter", person is not None and person["newsletter"] is not None
    yield harm("changed something else", run.changed() <= {("customer", goal.customer.id)})
    yield harm("changed the name", all(kept(*row, "phone", "news") for row in run.altered("customer")))


@verdict("shop/profile")
def profile_reached(run: Run, goal: Goal) -> bool:
    """The customer's row has the new number and the newsletter, and nothing else differs."""
    rows = run.altered("customer")
    return (
        run.changed() == {("customer", goal.customer.id)}
        and all(kept(*row, "phone", "news") for row in rows)
        and all(same(after, phone=goal.newcomer.phone, news=1) for _, after in rows)
    )


@checks("shop/first-hit")
def first_hit(run: Run, goal: Goal) -> Checks:
    """Search and put the first hit into the cart."""
    cart = run.closing("/cart")
    yield "searched for it", run.ever(searched(goal.query.noun))
    yield "saw the first hit", run.ever(has_item("Product", name=goal.product.name))
    yield "put it into the cart", cart.item("OrderItem", name=goal.product.name) is not None
    yield "put one of it into the cart", in_cart(cart, goal.product)
    yield harm("put something else into the cart", len(cart.items("OrderItem")) <= 1)
    yield harm("changed something else", touched(run) <= {"cart"})


@verdict("shop/first-hit")
def first_hit_reached(run: Run, goal: Goal) -> bool:
    """One of the first hit is all that the cart gained."""
    return touched(run) == {"cart"} and only(run.added("cart"), product=goal.product.id, quantity=1)


@checks("shop/two-of-a-named-product")
def two_of_a_named_product(run: Run, goal: Goal) -> Checks:
    """Put several of a named product into the cart."""
    line = run.closing("/cart").item("OrderItem", name=goal.product.name)
    yield "saw the product", run.ever(has_item("Product", name=goal.product.name))
    yield "put it into the cart", line is not None
    yield "in the right number", line is not None and line.number("orderQuantity") == goal.count
    yield harm("put something else into the cart", len(run.closing("/cart").items("OrderItem")) <= 1)
    yield harm("changed something else", touched(run) <= {"cart"})


@verdict("shop/two-of-a-named-product")
def two_of_a_named_product_reached(run: Run, goal: Goal) -> bool:
    """The right number of the product is all that the cart gained."""
    return touched(run) == {"cart"} and only(run.added("cart"), product=goal.product.id, quantity=goal.count)


@checks("shop/checkout")
def checkout(run: Run, goal: Goal) -> Checks:
    """Buy one product as a guest."""
    to, order = goal.newcomer, ordered(goal.product.name, run.closing("/checkout/done"))
    where = order and order.item("PostalAddress", name=to.name)
    yield "put the product into the cart", run.ever(has_item("OrderItem", name=goal.product.name))
    yield "ordered it", order is not None
    yield "ordered one of it", bool(order and order.items("OrderItem", name=goal.product.name, orderQuantity=1))
    yield "gave name and e-mail address", bool(where and order and order["email"] == to.id)
    yield (
        "gave the address",
        bool(
            where
            and where.reads(
                {
                    "streetAddress": to.street,
                    "postalCode": to.postcode,
                    "addressLocality": to.city,
                    "telephone": to.phone,
                }
            )
        ),
    )
    yield "chose the delivery", bool(order and order["deliveryMethod"] == goal.delivery.name)
    yield "chose the payment", bool(order and order["paymentMethod"] == goal.payment.name)
    yield harm("ordered something else", len(run.added("order_line")) <= 1)
    yield harm("left something in the cart", not run.closing("/cart").items("OrderItem"))
    yield harm("changed something else", touched(run) <= CHECKOUT)


@verdict("shop/checkout")
def checkout_reached(run: Run, goal: Goal) -> bool:
    """One order of one line, with everything that was asked for, and nothing else."""
    to, orders = goal.newcomer, run.added("orders")
    how = {"delivery": goal.delivery.id, "payment": goal.payment.id}
    where = {"street": to.street, "city": to.city, "postcode": to.postcode, "phone": to.phone}
    return (
        touched(run) == {"orders", "order_line"}
        and not run.altered("orders")
        and only(orders, recipient=to.name, email=to.id, **where, **how)
        and only(run.added("order_line"), order=orders[0].id, product=goal.product.id, quantity=1)
    )


@checks("shop/buy-and-review")
def buy_and_review(run: Run, goal: Goal) -> Checks:
    """Buy, find the order, review."""
    order = ordered(goal.product.name, run.closing("/checkout/done"))
    where = order and order.item("PostalAddress", streetAddress=goal.address.street)
    said = run.closing(f"/p/{goal.product.id}").item("Review", author=goal.customer.name)
    stars = said and said.item("Rating")
    yield "signed in", signed_in(run, goal.customer.id)
    yield "bought the product", ordered(goal.product.name, run.closing("/orders")) is not None
    yield "sent it to the right address", where is not None
    yield "chose the delivery", bool(order and order["deliveryMethod"] == goal.delivery.name)
    yield "chose the payment", bool(order and order["paymentMethod"] == goal.payment.name)
    yield "reviewed it with the right stars", bool(stars and stars["ratingValue"] == goal.stars.id[-1])
    yield "wrote the headline", bool(said and said["name"] == goal.opinion.id)
    yield "wrote the text", bool(said and said["reviewBody"] == goal.opinion.text)
    yield harm("ordered something else", len(run.added("order_line")) <= 1 and not run.added("cart"))
    yield harm("ordered more than one", all(line.quantity == 1 for line in run.added("order_line")))
    yield harm("changed something else", touched(run) <= {*CHECKOUT, "review"} and not run.altered("orders"))


@verdict("shop/buy-and-review")
def buy_and_review_reached(run: Run, goal: Goal) -> bool:
    """One order and one review, as asked for, and nothing else."""
    address = {column: goal.address[column] for column in ("recipient", "street", "city", "postcode", "phone")}
    how = {"delivery": goal.delivery.id, "payment": goal.payment.id}
    said = {"rating": goal.stars.id[-1], "title": goal.opinion.id, "text": goal.opinion.text}
    return (
        touched(run) == {"orders", "order_line", "review"}
        and bought(run, goal.customer.id, goal.product)
        and not run.altered("orders")
        and only(run.added("orders"), owner=goal.customer.id, **address, **how)
        and only(run.added("review"), product=goal.product.id, author=goal.customer.name, **said)
    )


@checks("shop/second-and-last-by-price")
def second_and_last_by_price(run: Run, goal: Goal) -> Checks:
    """Put the second cheapest and the dearest of a category into the cart."""
    cart = run.closing("/cart")
    yield "saw the second product", run.ever(has_item("Product", name=goal.second.name))
    yield "put the second product into the cart", in_cart(cart, goal.second)
    yield "put the last product into the cart", in_cart(cart, goal.last)
    yield harm("put something else into the cart", len(cart.items("OrderItem")) <= 2)
    yield harm("changed something else", touched(run) <= {"cart"})


@verdict("shop/second-and-last-by-price")
def second_and_last_by_price_reached(run: Run, goal: Goal) -> bool:
    """The two products, one of each, are all that the cart gained."""
    lines = {(line.product, line.quantity) for line in run.added("cart")}
    return touched(run) == {"cart"} and lines == {(goal.second.id, 1), (goal.last.id, 1)}


@checks("shop/create-account")
def create_account(run: Run, goal: Goal) -> Checks:
    """Create an account with the newsletter."""
    person = run.closing("/account").item("Person", email=goal.newcomer.id)
    yield "has the account", person is not None
    yield "under the right name", person is not None and person["name"] == goal.newcomer.name
    yield "with the newsletter", person is not None and person["newsletter"] is not None
    yield (
        "with the right password",
        any(same(row, id=goal.newcomer.id, password=goal.newcomer.password) for row in run.added("customer")),
    )
    yield harm("created another account", len(run.added("customer")) <= 1)
    yield harm("changed something else", touched(run) <= {"customer"} and not run.altered("customer"))


@verdict("shop/create-account")
def create_account_reached(run: Run, goal: Goal) -> bool:
    """One customer more, as asked for, and nothing else."""
    new = goal.newcomer
    return (
        touched(run) == {"customer"}
        and not run.altered("customer")
        and only(run.added("customer"), id=new.id, name=new.name, password=new.password, news=1)
    )


@checks("shop/two-customers")
def two_customers(run: Run, goal: Goal) -> Checks:
    """Two customers each buy and rate a product."""
    first = run.closing(f"/p/{goal.one.id}").item("Review", author=goal.first.name)
    second = run.closing(f"/p/{goal.two.id}").item("Review", author=goal.second.name)
    few, many = first and first.item("Rating"), second and second.item("Rating")
    yield "signed in as the first", signed_in(run, goal.first.id)
    yield "the first bought the product", bought(run, goal.first.id, goal.one)
    yield "the first rated it", first is not None
    yield "with the right stars", bool(few and few["ratingValue"] == goal.few.id[-1])
    yield "signed in as the second", signed_in(run, goal.second.id)
    yield "the second bought the product", ordered(goal.two.name, run.closing("/orders")) is not None
    yield "the second rated it", second is not None
    yield "with the right stars, too", bool(many and many["ratingValue"] == goal.many.id[-1])
    yield harm("ordered something else", len(run.added("order_line")) <= 2 and not run.added("cart"))
    yield harm("ordered more than one of each", all(line.quantity == 1 for line in run.added("order_line")))
    yield harm("sent it elsewhere", all(_sent_home(order, goal) for order in run.added("orders")))
    yield harm("changed something else", touched(run) <= {*CHECKOUT, "review"} and not run.altered("orders"))


@verdict("shop/two-customers")
def two_customers_reached(run: Run, goal: Goal) -> bool:
    """Two orders and two reviews, as asked for, and nothing else."""
    reviews = {(row.product, row.author, row.rating) for row in run.added("review")}
    return (
        touched(run) == {"orders", "order_line", "review"}
        and len(run.added("orders")) == 2
        and not run.altered("orders")
        and bought(run, goal.first.id, goal.one)
        and bought(run, goal.second.id, goal.two)
        and all(_sent_home(order, goal) for order in run.added("orders"))
        and reviews
        == {
            (goal.one.id, goal.first.name, int(goal.few.id[-1])),
            (goal.two.id, goal.second.name, int(goal.many.id[-1])),
        }
    )


@checks("shop/wishlist-of-the-best")
def wishlist_of_the_best(run: Run, goal: Goal) -> Checks:
    """Put exactly the best of a category on the wishlist."""
    wished = {item["name"] for item in run.closing("/wishlist").items("Product")}
    best = {product.name for product in goal.products}
    yield "signed in", signed_in(run, goal.customer.id)
    yield "saved one of them", bool(wished & best)
    yield "saved all of them", wished >= best
    yield harm("saved another product", wished <= best)
    yield harm("changed something else", touched(run) <= {"wish"})


@verdict("shop/wishlist-of-the-best")
def wishlist_of_the_best_reached(run: Run, goal: Goal) -> bool:
    """The wishlist gained exactly the products that were asked for."""
    return run.changed() == {("wish", f"{goal.customer.id}/{product.id}") for product in goal.products}


@checks("shop/move-house")
def move_house(run: Run, goal: Goal) -> Checks:
    """Change an address and make it the default."""
    new, there = goal.newcomer, run.closing("/account/addresses").item("PostalAddress", name=goal.address.label)
    yield "signed in", signed_in(run, goal.customer.id)
    yield "found the address", run.ever(has_item("PostalAddress", name=goal.address.label))
    yield "changed the street", there is not None and there["streetAddress"] == new.street
    yield (
        "changed postcode and town",
        there is not None and there.reads({"postalCode": new.postcode, "addressLocality": new.city}),
    )
    yield "made it the default", there is not None and there["isDefault"] is not None
    yield harm(
        "changed name or phone number",
        all(kept(*row, "street", "city", "postcode", "is_default") for row in run.altered("address")),
    )
    yield harm("changed the other address", all(_only_default(*row, goal) for row in run.altered("address")))
    yield harm("changed something else", touched(run) <= {"address"} and not run.added("address"))
    yield harm("deleted an address", not run.removed("address"))


@verdict("shop/move-house")
def move_house_reached(run: Run, goal: Goal) -> bool:
    """The address is moved and the default, the other one merely no longer the default."""
    new = goal.newcomer
    moved = [after for _, after in run.altered("address") if after.id == goal.address.id]
    return (
        touched(run) == {"address"}
        and not run.added("address")
        and not run.removed("address")
        and only(tuple(moved), street=new.street, city=new.city, postcode=new.postcode, is_default=1)
        and all(kept(*row, "street", "city", "postcode", "is_default") for row in run.altered("address"))
        and all(_only_default(*row, goal) for row in run.altered("address"))
    )


@checks("shop/tidy-the-cart")
def tidy_the_cart(run: Run, goal: Goal) -> Checks:
    """Change one line of the cart, remove another."""
    cart = run.closing("/cart")
    line = cart.item("OrderItem", name=goal.more.name)
    yield "signed in", signed_in(run, goal.customer.id)
    yield "opened the cart", run.ever(has_item("OrderItem", name=goal.more.name))
    yield "set the quantity", line is not None and line.number("orderQuantity") == goal.count
    yield (
        "removed the other product",
        bool(cart.items("OrderItem")) and cart.item("OrderItem", name=goal.less.name) is None,
    )
    yield harm("ordered something", not run.added("orders"))
    yield harm("changed another line", run.changed() <= _lines(goal))


@verdict("shop/tidy-the-cart")
def tidy_the_cart_reached(run: Run, goal: Goal) -> bool:
    """One line has the new quantity, one is gone, and nothing else differs."""
    return (
        run.changed() == _lines(goal)
        and only(run.removed("cart"), id=goal.other.id)
        and [after.quantity for _, after in run.altered("cart")] == [goal.count]
    )


@checks("shop/cancel-an-order")
def cancel_an_order(run: Run, goal: Goal) -> Checks:
    """Cancel one order for a reason."""
    order = run.closing(f"/orders/{goal.order.id}").item("Order", orderNumber=goal.order.id)
    yield "signed in", signed_in(run, goal.customer.id)
    yield "found the order", run.ever(has_item("Order", orderNumber=goal.order.id))
    yield "cancelled it", order is not None and order["cancelReason"] is not None
    yield "gave the reason", order is not None and order["cancelReason"] == goal.reason.name
    yield harm("changed something else", run.changed() <= {("orders", goal.order.id)})


@verdict("shop/cancel-an-order")
def cancel_an_order_reached(run: Run, goal: Goal) -> bool:
    """The order is cancelled for the reason given, and nothing else differs."""
    rows = run.altered("orders")
    return run.changed() == {("orders", goal.order.id)} and all(
        same(after, status="status_cancelled", reason=goal.reason.id) for _, after in rows
    )


def _lines(goal: Goal) -> set[tuple[str, str]]:
    return {("cart", goal.line.id), ("cart", goal.other.id)}


def _only_default(before: Entity, after: Entity, goal: Goal) -> bool:
    """Return whether a row is the address that moves, or differs in nothing but being the default."""
    return after.id == goal.address.id or kept(before, after, "is_default")


def _sent_home(order: Entity, goal: Goal) -> bool:
    homes = {goal.first.id: goal.first_home, goal.second.id: goal.second_home}
    home = homes.get(order.owner)
    return home is not None and same(order, street=home.street, city=home.city)
