"""How rides are booked, changed, paid and rated on the ride site: what is written, and what is refused."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sites.kit import MissingError, RefusedError, Visit, moment
from sites.kit.data.town import town
from sites.ride.fares import Trip, fare, trip
from sites.ride.plan import said
from stressweb.core import draws
from stressweb.core.entity import Entity

type Shown = Mapping[str, Any]


def way_of(visit: Visit, start: Entity, end: Entity) -> Trip:
    """Return the way from one place to another."""
    return trip(town(visit.world.seed), start, end)


def owed(row: Entity) -> bool:
    """Return whether a ride is over and not paid."""
    over = row.state == "state_done" or (row.state == "state_open" and row.stage == "stage_done")
    return over and not row.paid


def price_ride(visit: Visit) -> Shown:
    """Return what booking and planning write besides what was entered; raise RefusedError for what cannot be."""
    names = visit.names
    _check(names["origin"].id, names["target"].id, names["tier"], visit.values["passengers"])
    way = way_of(visit, names["origin"], names["target"])
    number = str(max(int(one.id) for one in visit.store.where("Ride", {})) + 1)
    able = [one.id for one in visit.store.where("Driver", {"tier": names["tier"].id})]
    driver = draws.pick(able, "ride", visit.world.seed, "driver", number)
    day, time = visit.values.get("day", ""), visit.values.get("time", "")
    at = f"{day} {time}:00" if day else visit.store.now
    if day and at <= visit.store.now:
        raise RefusedError("error_past", "day")
    when = {"day": day, "time": time, "at": at, "said": said(visit.look.dates, datetime.fromisoformat(at))}
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
    return {"price": fare(tier, way_of(visit, start, end))}


def check_moment(visit: Visit) -> Shown:
    """Return the new moment of a planned ride; raise RefusedError if it has passed."""
    at = datetime.fromisoformat(f"{visit.values['day']} {visit.values['time']}")
    if moment(at) <= visit.store.now:
        raise RefusedError("error_past", "day")
    return {"at": moment(at), "said": said(visit.look.dates, at)}


def check_owed(visit: Visit) -> None:
    """Raise RefusedError if there is nothing to pay."""
    if not owed(visit.values["ride"]):
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


def _check(start: str, end: str, tier: Entity, people: int) -> None:
    if start == end:
        raise RefusedError("error_same_place")
    if people > tier.seats:
        raise RefusedError("error_seats", "passengers")
