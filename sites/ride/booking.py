"""Actions that book, change, pay and rate rides."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from stressweb.core import draws
from stressweb.core.entity import Entity
from stressweb.sites.kit import MissingError, RefusedError, Visit, moment
from stressweb.sites.kit.data.town import town
from stressweb.sites.ride.fares import Trip, fare, trip
from stressweb.sites.ride.plan import short_moment

type Shown = Mapping[str, Any]


def route_between(visit: Visit, start: Entity, end: Entity) -> Trip:
    """Return the route from one place to another."""
    return trip(town(visit.world.seed), start, end)


def owed(row: Entity) -> bool:
    """Return whether a ride is over and not paid."""
    is_over = row.state == "state_done" or (row.state == "state_open" and row.stage == "stage_done")
    return is_over and not row.paid


def price_ride(visit: Visit) -> Shown:
    """Return the fields of a new ride that are not on its form; raise RefusedError if it cannot be booked."""
    names = visit.names
    _check(names["origin"].id, names["target"].id, names["tier"], visit.values["passengers"])
    route = route_between(visit, names["origin"], names["target"])
    number = str(max(int(row.id) for row in visit.store.where("Ride", {})) + 1)
    driver_ids = [row.id for row in visit.store.where("Driver", {"tier": names["tier"].id})]
    driver = draws.pick(driver_ids, "ride", visit.world.seed, "driver", number)
    day, time = visit.values.get("day", ""), visit.values.get("time", "")
    departure = f"{day} {time}:00" if day else visit.store.now
    if day and departure <= visit.store.now:
        raise RefusedError("error_past", "day")
    schedule = {
        "day": day,
        "time": time,
        "at": departure,
        "said": short_moment(visit.look.dates, datetime.fromisoformat(departure)),
    }
    return {"made": Entity(id=number, price=fare(names["tier"], route), driver=driver, **schedule)}


def price_change(visit: Visit) -> Shown:
    """Return the price of a changed ride."""
    row, tier = visit.names["ride"], visit.store.one("Tier", visit.names["ride"].tier)
    start, end = (visit.store.one("Place", visit.values[name]) for name in ("pickup", "dropoff"))
    if tier is None or start is None or end is None:
        raise MissingError
    _check(start.id, end.id, tier, visit.values["passengers"])
    if row.origin == start.id and row.target == end.id:
        return {"price": row.price}
    return {"price": fare(tier, route_between(visit, start, end))}


def check_moment(visit: Visit) -> Shown:
    """Return the new moment of a planned ride; raise RefusedError if it has passed."""
    departure = datetime.fromisoformat(f"{visit.values['day']} {visit.values['time']}")
    if moment(departure) <= visit.store.now:
        raise RefusedError("error_past", "day")
    return {"at": moment(departure), "said": short_moment(visit.look.dates, departure)}


def check_owed(visit: Visit) -> None:
    """Raise RefusedError if there is nothing to pay."""
    if not owed(visit.values["ride"]):
        raise RefusedError("error_owed")


def rate_ride(visit: Visit) -> None:
    """Rate a ride; raise RefusedError if it is already rated or not over."""
    row = visit.values["ride"]
    if row.state != "state_done":
        raise RefusedError("error_not_over")
    if visit.store.where("Rating", {"ride": row.id}):
        raise RefusedError("error_rated")
    rating = {name: visit.values[name] for name in ("stars", "praise", "comment")}
    visit.store.put("Rating", {"id": row.id, "ride": row.id, **rating})


def _check(start: str, end: str, tier: Entity, passengers: int) -> None:
    if start == end:
        raise RefusedError("error_same_place")
    if passengers > tier.seats:
        raise RefusedError("error_seats", "passengers")
