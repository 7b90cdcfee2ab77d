"""What goals name and no table holds: past orders as they stand to each other, and groups of restaurants."""

from collections import Counter
from collections.abc import Iterator

from stressweb.sites.food.plan import Values
from stressweb.sites.food.promos import discount
from stressweb.sites.kit import Drawing
from stressweb.sites.kit.mixins.people.logic import strangers
from stressweb.sites.kit.wording import dates

_NEW = 12
"""Strangers whose addresses goals use."""


def newcomers(drawing: Drawing) -> Iterator[Values]:
    """Yield people whom nobody knows, with their addresses."""
    for person in strangers(drawing)[:_NEW]:
        yield {name: person[name] for name in ("id", "name", "street", "city", "postcode")}


def past(drawing: Drawing) -> Iterator[Values]:
    """Yield every order with what it held, how it stands among those of its cuisine, and which code is best for it."""
    places = {place.id: place for place in drawing.made["Restaurant"]}
    lines = drawing.made["OrderLine"]
    today = drawing.start.date().isoformat()
    nth: Counter[str] = Counter()
    for order in reversed(drawing.made["Order"]):
        place = places[order.restaurant]
        held = [line for line in lines if line.order == order.id]
        if order.status == "status_delivered":
            nth[place.cuisine] += 1
        off = sorted(
            (discount(promo, order.subtotal, order.fee, place.cuisine, today), promo.id)
            for promo in drawing.made["Promo"]
        )
        applies = [saving for saving in off if saving[0]]
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
            "lines": len(held),
            "first": held[0].dish,
            "size": held[0].size,
            "quantity": held[0].quantity,
            "minimum": place.minimum,
            "code": applies[-1][1] if applies else "",
            "codes": len(applies),
            "margin": applies[-1][0] - applies[-2][0] if len(applies) > 1 else 0,
        }


def shelves(drawing: Drawing) -> Iterator[Values]:
    """Yield the restaurants of a cuisine and a price level, with the one that has the lowest minimum order."""
    groups: dict[tuple[str, str, str], list[Values]] = {}
    for place in drawing.made["Restaurant"]:
        groups.setdefault((place.cuisine, place.cuisine_name, place.level), []).append(place)
    for (cuisine, name, level), places in groups.items():
        least, *rest = sorted(places, key=lambda place: place["minimum"])
        # Two with the same minimum would both be the lowest.
        if rest and least["minimum"] < rest[0]["minimum"]:
            shelf = {"cuisine": cuisine, "cuisine_name": name, "level": level, "restaurant": least["id"]}
            yield {"id": f"{cuisine}/{level}", **shelf, "count": len(places), "open": least["open"]}
