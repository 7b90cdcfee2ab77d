"""Data for the ride site's pages that its spec cannot express: fares, rides, places and help."""

from collections import Counter
from datetime import datetime

from stressweb.core.entity import Entity
from stressweb.sites.kit import MissingError, Visit
from stressweb.sites.ride.booking import (
    Shown,
    check_moment,
    check_owed,
    owed,
    price_change,
    price_ride,
    rate_ride,
    route_between,
)  # fmt: skip
from stressweb.sites.ride.derived_entities import days, newcomers, outings, trips
from stressweb.sites.ride.fares import Trip, fare, parts, tip
from stressweb.sites.ride.plan import (
    articles,
    cards,
    contacts,
    drivers,
    places,
    ratings,
    rides,
    saved_places,
    tiers,
    waits,
)

# The spec names functions of this module; some are defined in other modules.
__all__ = ["articles", "cards", "check_moment", "check_owed", "contacts", "days", "drivers", "newcomers",
    "outings", "places", "price_change", "price_ride", "rate_ride", "ratings", "rides", "saved_places", "tiers",
    "trips", "waits"]  # fmt: skip


def home(visit: Visit) -> Shown:
    """Return the form's initial values, the places on the map and the saved places."""
    saved = [visit.store.joined(row, {"place": "Place"}) for row in visit.store.where("Saved", {})]
    return {"asked": _query(visit), "places": visit.store.where("Place", {}), "saved": saved}


def quote(visit: Visit) -> Shown:
    """Return an offer for each kind of car; without two different places there is no trip."""
    query, ends = _query(visit), _ends(visit)
    if ends is None:
        wrong = bool(query["from"] and query.to)
        return {"asked": query, "trip": None, "offers": [], "ends": [], "lost": wrong}
    start, end = ends
    route = route_between(visit, start, end)
    rows = [_offer(visit, tier, start, route) for tier in visit.store.where("Tier", {})]
    return {"asked": query, "trip": _trip(start, end, route), "offers": rows, "ends": [start, end], "lost": False}


def offer(visit: Visit) -> Shown:
    """Return the offer for one kind of car, with the parts of its fare."""
    start, end, tier = (visit.names[name] for name in ("start", "end", "tier"))
    if start.id == end.id:
        raise MissingError
    route = route_between(visit, start, end)
    base, distance, time = map(visit.look.money, parts(tier, route))
    usual = next(card.id for card in visit.store.where("Card", {"usual": "1"}))
    fare_sums = {"base": base, "distance": distance, "time": time, "total": visit.look.money(fare(tier, route))}
    details = {"offer": _offer(visit, tier, start, route), "sums": Entity(fare_sums), "usual": usual}
    return {"trip": _trip(start, end, route), "ends": [start, end], **details}


def all_places(visit: Visit) -> Shown:
    """Return every place with its number on the map."""
    rows = visit.store.where("Place", {})
    return {"places": [Entity({**row, "number": number}) for number, row in enumerate(rows, start=1)]}


def place(visit: Visit) -> Shown:
    """Return the place of the page as the only one on its map."""
    return {"places": [visit.names["place"]]}


def ride(visit: Visit) -> Shown:
    """Return a ride's places and fare, its driver if one is assigned, its rating and shares."""
    row = visit.names["ride"]
    route = route_between(visit, row.origin, row.target)
    rating = visit.store.where("Rating", {"ride": row.id})
    shares = visit.store.where("Share", {"ride": row.id})
    base, distance, time = map(visit.look.money, parts(row.tier, route))
    tips = tip(row.price, row.tip)
    sums = {"base": base, "distance": distance, "time": time, "extra": visit.look.money(row.extra),
        "tip": visit.look.money(tips), "total": visit.look.money(row.price + tips)}  # fmt: skip
    coming = row.state == "state_open" and not row.day and row.stage != "stage_searching"
    has_driver = row.state == "state_done" or coming
    wait = visit.store.one("Wait", f"{row.origin.id}/{row.tier.id}")
    return {
        "ends": [row.origin, row.target],
        "trip": Entity(km=route.kilometres, minutes=route.minutes),
        "driver": visit.store.one("Driver", row.driver) if has_driver else None,
        "rating": rating[0] if rating else None,
        "shares": [visit.store.one("Contact", share.contact) for share in shares],
        "sums": Entity(sums),
        "wait": wait.minutes if wait else 0,
        "live": row.state == "state_open" and not row.day,
        "owed": owed(row),
    }


def cancelling(visit: Visit) -> Shown:
    """Return the fare of a ride and the fee for cancelling it."""
    money = visit.look.money
    # Cancelling is free, and possible only until the passenger gets in.
    return {"sums": Entity(fare=money(visit.names["ride"].price), fee=money(0))}


def card_name(visit: Visit) -> Shown:
    """Return the name of a new card: its brand and last digits."""
    return {"card_name": f"{visit.say(visit.values['brand'])} {visit.values['digits']}"}


def spending(visit: Visit) -> Shown:
    """Return the amounts paid per month, latest first, and in total."""
    sums, paid = Counter[str](), visit.store.where("Ride", {"state": "state_done", "paid": "1"})
    for row in paid:
        sums[row.at[:7]] += row.price + tip(row.price, row.tip)
    money = visit.look.money
    rows = [Entity(name=f"{datetime.fromisoformat(f'{month}-01'):%b %Y}", cents=cents, said=money(cents))
        for month, cents in sorted(sums.items(), reverse=True)]  # fmt: skip
    return {"months": rows, "total": money(sums.total()), "count": len(paid)}


def current_count(visit: Visit) -> Shown:
    """Return the number of booked rides."""
    return {"count": len(visit.store.where("Ride", {"state": "state_open"}))}


def topics(visit: Visit) -> Shown:
    """Return the articles of the help pages by topic."""
    rows: dict[str, list[Entity]] = {}
    for row in visit.store.where("Article", {}):
        rows.setdefault(row.topic, []).append(row)
    return rows


def article(visit: Visit) -> Shown:
    """Return the vote on an article."""
    return {"vote": visit.store.one("Vote", visit.names["article"].id)}


def _query(visit: Visit) -> Entity:
    return Entity({name: visit.args.get(name, "").strip() for name in ("from", "to")})


def _ends(visit: Visit) -> tuple[Entity, Entity] | None:
    """Return the two places in the query, or None if it does not name two different ones."""
    rows = visit.store.where("Place", {})
    # Links send a place's key; people type its name.
    by_text = {row.id: row for row in rows} | {row.name.casefold(): row for row in rows}
    start, end = (by_text.get(text.casefold()) for text in _query(visit).values())
    return (start, end) if start and end and start.id != end.id else None


def _trip(start: Entity, end: Entity, route: Trip) -> Entity:
    return Entity(km=route.kilometres, minutes=route.minutes, start=start, end=end)


def _offer(visit: Visit, tier: Entity, start: Entity, route: Trip) -> Entity:
    wait = visit.store.one("Wait", f"{start.id}/{tier.id}")
    minutes = wait.minutes if wait else 0
    return Entity({**tier, "price": fare(tier, route), "wait": minutes, "in_all": minutes + route.minutes})
