"""Entities that goals refer to but no table holds: past orders with their ranks, groups of restaurants, strangers."""

from collections import Counter
from collections.abc import Iterator

from stressweb.sites.food.plan import Values
from stressweb.sites.food.promos import discount
from stressweb.sites.kit import Drawing
from stressweb.sites.kit.mixins.people.logic import strangers
from stressweb.sites.kit.wording import dates

_NEW = 12
"""Number of strangers whose addresses goals use."""


def newcomers(drawing: Drawing) -> Iterator[Values]:
    """Yield people who appear nowhere on the site, with their addresses."""
    for person in strangers(drawing)[:_NEW]:
        yield {name: person[name] for name in ("id", "name", "street", "city", "postcode")}


def past(drawing: Drawing) -> Iterator[Values]:
    """Yield every order with its content, its rank among the orders of its cuisine, and the best code for it."""
    places = {place.id: place for place in drawing.made["Restaurant"]}
    lines = drawing.made["OrderLine"]
    today = drawing.start.date().isoformat()
    nth: Counter[str] = Counter()
    for order in reversed(drawing.made["Order"]):
        place = places[order.restaurant]
        own_lines = [line for line in lines if line.order == order.id]
        if order.status == "status_delivered":
            nth[place.cuisine] += 1
        savings = sorted(
            (discount(promo, order.subtotal, order.fee, place.cuisine, today), promo.id)
            for promo in drawing.made["Promo"]
        )
        applies = [saving for saving in savings if saving[0]]
        yield {
            "id": order.id,
            "restaurant": place.id,
            "name": place.name,
            "cuisine": place.cuisine,
            "cuisine_name": place.cuisine_name,
            "status": order.status,
            "placed": order.placed,
            "day": dates.say(drawing.look.dates, dates.day(order.placed[:10]) or drawing.start.date()),
            "open": int(place.open and order.subtotal >= place.minimum),
            "nth": nth[place.cuisine] if order.status == "status_delivered" else 0,
            "lines": len(own_lines),
            "first": own_lines[0].dish,
            "size": own_lines[0].size,
            "quantity": own_lines[0].quantity,
            "minimum": place.minimum,
            "code": applies[-1][1] if applies else "",
            "codes": len(applies),
            "margin": applies[-1][0] - applies[-2][0] if len(applies) > 1 else 0,
        }


def shelves(drawing: Drawing) -> Iterator[Values]:
    """Yield each pair of cuisine and price level with the restaurant that has the lowest minimum order."""
    groups: dict[tuple[str, str, str], list[Values]] = {}
    for place in drawing.made["Restaurant"]:
        groups.setdefault((place.cuisine, place.cuisine_name, place.level), []).append(place)
    for (cuisine, name, level), places in groups.items():
        least, *rest = sorted(places, key=lambda place: place["minimum"])
        # Skip ties, in which two restaurants have the lowest minimum.
        if rest and least["minimum"] < rest[0]["minimum"]:
            shelf = {"cuisine": cuisine, "cuisine_name": name, "level": level, "restaurant": least["id"]}
            yield {"id": f"{cuisine}/{level}", **shelf, "count": len(places), "open": least["open"]}
