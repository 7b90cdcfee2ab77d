"""What the spec of the ride site cannot say: prices of a trip, what the pages of rides, places and help show."""

from collections import Counter
from datetime import datetime

from sites.kit import MissingError, Visit
from sites.ride.booking import (
    Shown,
    check_moment,
    check_owed,
    owed,
    price_change,
    price_ride,
    rate_ride,
    way_of,
)  # fmt: skip
from sites.ride.derived_entities import days, newcomers, outings, trips
from sites.ride.fares import Trip, fare, parts, tip
from sites.ride.plan import articles, cards, contacts, drivers, places, ratings, rides, saved_places, tiers, waits
from stressweb.core.entity import Entity

# The spec names functions of this module; those that make the data and those that book live in modules of their own.
__all__ = ["articles", "cards", "check_moment", "check_owed", "contacts", "days", "drivers", "newcomers",
    "outings", "places", "price_change", "price_ride", "rate_ride", "ratings", "rides", "saved_places", "tiers",
    "trips", "waits"]  # fmt: skip


def home(visit: Visit) -> Shown:
    """Return what stands in the form at first, the places of the map, and what is saved."""
    return {"asked": _asked(visit), "places": visit.store.where("Place", {})}


def quote(visit: Visit) -> Shown:
    """Return what each kind of car costs for the trip that was asked for; without two places there is no trip."""
    asked, ends = _asked(visit), _ends(visit)
    if ends is None:
        wrong = bool(asked["from"] and asked.to)
        return {"asked": asked, "trip": None, "offers": [], "ends": [], "lost": wrong}
    start, end = ends
    way = way_of(visit, start, end)
    rows = [_offer(visit, tier, start, way) for tier in visit.store.where("Tier", {})]
    return {"asked": asked, "trip": _told(start, end, way), "offers": rows, "ends": [start, end], "lost": False}


def offer(visit: Visit) -> Shown:
    """Return the offer of one kind of car, with what its fare is made of."""
    start, end, tier = (visit.names[name] for name in ("start", "end", "tier"))
    if start.id == end.id:
        raise MissingError
    way = way_of(visit, start, end)
    base, distance, time = map(visit.look.money, parts(tier, way))
    usual = next(one.id for one in visit.store.where("Card", {"usual": "1"}))
    told = {"base": base, "distance": distance, "time": time, "total": visit.look.money(fare(tier, way))}
    shown = {"offer": _offer(visit, tier, start, way), "sums": Entity(told), "usual": usual}
    return {"trip": _told(start, end, way), "ends": [start, end], **shown}


def all_places(visit: Visit) -> Shown:
    """Return every place with the number that it has on the map."""
    rows = visit.store.where("Place", {})
    return {"places": [Entity({**one, "number": at}) for at, one in enumerate(rows, start=1)]}


def place(visit: Visit) -> Shown:
    """Return the place of the page as the only one on its map."""
    return {"places": [visit.names["place"]]}


def ride(visit: Visit) -> Shown:
    """Return a ride with its ends, its driver as soon as there is one, and what was said about it."""
    row = visit.names["ride"]
    way = way_of(visit, row.origin, row.target)
    rating = visit.store.where("Rating", {"ride": row.id})
    shares = visit.store.where("Share", {"ride": row.id})
    base, distance, time = map(visit.look.money, parts(row.tier, way))
    tips = tip(row.price, row.tip)
    sums = {"base": base, "distance": distance, "time": time, "extra": visit.look.money(row.extra),
        "tip": visit.look.money(tips), "total": visit.look.money(row.price + tips)}  # fmt: skip
    coming = row.state == "state_open" and not row.day and row.stage != "stage_searching"
    there = row.state == "state_done" or coming
    wait = visit.store.one("Wait", f"{row.origin.id}/{row.tier.id}")
    return {
        "ends": [row.origin, row.target],
        "trip": Entity(km=way.kilometres, minutes=way.minutes),
        "driver": visit.store.one("Driver", row.driver) if there else None,
        "rating": rating[0] if rating else None,
        "shares": [visit.store.one("Contact", one.contact) for one in shares],
        "sums": Entity(sums),
        "wait": wait.minutes if wait else 0,
        "live": row.state == "state_open" and not row.day,
        "owed": owed(row),
    }


def card_name(visit: Visit) -> Shown:
    """Return what a new card is called: its brand, and its last digits."""
    return {"card_name": f"{visit.say(visit.values['brand'])} {visit.values['digits']}"}


def spending(visit: Visit) -> Shown:
    """Return how much was paid in each month, the latest first."""
    sums: Counter[str] = Counter()
    for one in visit.store.where("Ride", {"state": "state_done", "paid": "1"}):
        sums[one.at[:7]] += one.price + tip(one.price, one.tip)
    money = visit.look.money
    rows = [Entity(name=f"{datetime.fromisoformat(f'{month}-01'):%b %Y}", cents=cents, said=money(cents))
        for month, cents in sorted(sums.items(), reverse=True)]  # fmt: skip
    return {"months": rows}


def current_count(visit: Visit) -> Shown:
    """Return how many rides are booked."""
    return {"count": len(visit.store.where("Ride", {"state": "state_open"}))}


def topics(visit: Visit) -> Shown:
    """Return the articles of the help pages by topic."""
    rows: dict[str, list[Entity]] = {}
    for one in visit.store.where("Article", {}):
        rows.setdefault(one.topic, []).append(one)
    return rows


def article(visit: Visit) -> Shown:
    """Return what was said about an article."""
    return {"vote": visit.store.one("Vote", visit.names["article"].id)}


def _asked(visit: Visit) -> Entity:
    return Entity({name: visit.args.get(name, "").strip() for name in ("from", "to")})


def _ends(visit: Visit) -> tuple[Entity, Entity] | None:
    """Return the two places that the query names, if it names two."""
    rows = visit.store.where("Place", {})
    # Links name a place by its key; who types knows its name.
    named = {one.id: one for one in rows} | {one.name.casefold(): one for one in rows}
    start, end = (named.get(text.casefold()) for text in _asked(visit).values())
    return (start, end) if start and end and start.id != end.id else None


def _told(start: Entity, end: Entity, way: Trip) -> Entity:
    return Entity(km=way.kilometres, minutes=way.minutes, start=start, end=end)


def _offer(visit: Visit, tier: Entity, start: Entity, way: Trip) -> Entity:
    wait = visit.store.one("Wait", f"{start.id}/{tier.id}")
    return Entity({**tier, "price": fare(tier, way), "wait": wait.minutes if wait else 0})
