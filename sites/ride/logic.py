"""What the spec of the ride site cannot say: prices of a trip, what a ride's page shows, and what booking needs."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sites.kit import MissingError, RefusedError
from sites.kit.data import moment
from sites.kit.town import town
from sites.kit.visit import Visit
from sites.ride.derived_entities import days, newcomers, next_rides, outings, trips
from sites.ride.fares import Trip, fare, parts, tip, trip
from sites.ride.plan import (
    articles,
    cards,
    contacts,
    drivers,
    places,
    ratings,
    rides,
    said,
    saved_places,
    tiers,
    waits,
)
from stressweb.core import draws
from stressweb.core.entity import Entity

# The spec names functions of this module; those that make the data live in modules of their own.
__all__ = ["articles", "cards", "contacts", "days", "drivers", "newcomers", "next_rides", "outings", "places", "ratings",
    "rides", "saved_places", "tiers", "trips", "waits"]  # fmt: skip

type Shown = Mapping[str, Any]


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
    way = _way(visit, start, end)
    rows = [_offer(visit, tier, start, way) for tier in visit.store.where("Tier", {})]
    told = Entity(metres=way.metres, km=way.kilometres, minutes=way.minutes, start=start, end=end)
    return {"asked": asked, "trip": told, "offers": rows, "ends": [start, end], "lost": False}


def offer(visit: Visit) -> Shown:
    """Return the offer of one kind of car, with what its fare is made of."""
    tier = visit.store.one("Tier", visit.args.get("tier", ""))
    seen = quote(visit)
    if tier is None or seen["trip"] is None:
        raise MissingError
    start, end = seen["ends"]
    way = _way(visit, start, end)
    base, distance, time = map(visit.look.money, parts(tier, way))
    usual = next(one.id for one in visit.store.where("Card", {"usual": "1"}))
    told = {"base": base, "distance": distance, "time": time, "total": visit.look.money(fare(tier, way))}
    return {**seen, "offer": _offer(visit, tier, start, way), "sums": Entity(told), "usual": usual}


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
    way = _way(visit, row.origin, row.target)
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
        "owed": _owed(row),
    }


def price_ride(visit: Visit) -> Shown:
    """Return what booking and planning write besides what was entered; raise RefusedError for what cannot be."""
    names = visit.names
    _check(names["origin"].id, names["target"].id, names["tier"], visit.values["passengers"])
    way = _way(visit, names["origin"], names["target"])
    number = str(max(int(one.id) for one in visit.store.where("Ride", {})) + 1)
    able = [one.id for one in visit.store.where("Driver", {"tier": names["tier"].id})]
    driver = draws.pick(able, "ride", visit.world.seed, "driver", number)
    day, time = visit.values.get("day", ""), visit.values.get("time", "")
    at = f"{day} {time}:00" if day else visit.store.now
    if day and at <= visit.store.now:
        raise RefusedError("error_past", "day")
    when = {"day": day, "time": time, "at": at, "said": said(datetime.fromisoformat(at))}
    return {"made": Entity(id=number, price=fare(names["tier"], way), driver=driver, **when)}


def price_change(visit: Visit) -> Shown:
    """Return what a ride costs on its new way."""
    row, tier = visit.names["ride"], visit.store.one("Tier", visit.names["ride"].tier)
    start, end = (visit.store.one("Place", visit.values[name]) for name in ("pickup", "dropoff"))
    if tier is None or start is None or end is None:
        raise MissingError
    _check(start.id, end.id, tier, visit.values["passengers"])
    if row.origin == start.id and row.target == end.id:
        return {"price": row.price}
    return {"price": fare(tier, _way(visit, start, end))}


def check_moment(visit: Visit) -> Shown:
    """Return the new moment of a planned ride; raise RefusedError if it has passed."""
    at = datetime.fromisoformat(f"{visit.values['day']} {visit.values['time']}")
    if moment(at) <= visit.store.now:
        raise RefusedError("error_past", "day")
    return {"at": moment(at), "said": said(at)}


def check_owed(visit: Visit) -> None:
    """Raise RefusedError if there is nothing to pay."""
    if not _owed(visit.values["ride"]):
        raise RefusedError("error_owed")


def rate_ride(visit: Visit) -> None:
    """Rate a ride; raise RefusedError if it was rated, or is not over."""
    row = visit.values["ride"]
    if row.state != "state_done":
        raise RefusedError("error_not_over")
    if visit.store.where("Rating", {"ride": row.id}):
        raise RefusedError("error_rated")
    given = {name: visit.values[name] for name in ("stars", "praise", "comment")}
    visit.store.put("Rating", {"id": row.id, "ride": row.id, **given})


def spending(visit: Visit) -> Shown:
    """Return how much was paid in each month, the latest first."""
    sums: Counter[str] = Counter()
    for one in visit.store.where("Ride", {"state": "state_done", "paid": "1"}):
        sums[one.at[:7]] += one.price + tip(one.price, one.tip)
    money = visit.look.money
    rows = [Entity(name=f"{datetime.fromisoformat(f'{month}-01'):%B %Y}", cents=cents, said=money(cents))
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


def _asked(visit: Visit) -> Entity:
    return Entity({name: visit.args.get(name, "").strip() for name in ("from", "to")})


def _ends(visit: Visit) -> tuple[Entity, Entity] | None:
    """Return the two places that the query names, if it names two."""
    rows = visit.store.where("Place", {})
    # Links name a place by its key; who types knows its name.
    named = {one.id: one for one in rows} | {one.name.casefold(): one for one in rows}
    start, end = (named.get(text.casefold()) for text in _asked(visit).values())
    return (start, end) if start and end and start.id != end.id else None


def _way(visit: Visit, start: Entity, end: Entity) -> Trip:
    return trip(town(visit.world.seed), start, end)


def _offer(visit: Visit, tier: Entity, start: Entity, way: Trip) -> Entity:
    wait = visit.store.one("Wait", f"{start.id}/{tier.id}")
    return Entity({**tier, "price": fare(tier, way), "wait": wait.minutes if wait else 0})


def _owed(row: Entity) -> bool:
    over = row.state == "state_done" or (row.state == "state_open" and row.stage == "stage_done")
    return over and not row.paid


def _check(start: str, end: str, tier: Entity, people: int) -> None:
    if start == end:
        raise RefusedError("error_same_place")
    if people > tier.seats:
        raise RefusedError("error_seats", "passengers")
