"""What goals name and no table holds: trips with what they cost, rides as they stand to each other, and days."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from sites.kit import Drawing
from sites.kit.wording import dates
from sites.ride.fares import fare, trip
from sites.ride.plan import Values, ground
from stressweb.core.entity import Entity

_SAME = ("id", "origin", "target", "tier", "day", "time", "state", "card", "passengers")
_AHEAD = 40
"""Days from today on that goals can name."""


def trips(drawing: Drawing) -> Iterator[Values]:
    """Yield every way between two places, with the kinds of cars that a goal may ask for.

    `apart` is by how much the cheapest of a kind is cheaper than the next one, in hundredths.
    """
    map_of, all_tiers = ground(drawing), drawing.made["Tier"]
    minutes = {one.id: one.minutes for one in drawing.made["Wait"]}
    home = drawing.made["Saved"][0].place
    for start in drawing.made["Place"]:
        waits = sorted((minutes[f"{start.id}/{tier.id}"], tier) for tier in all_tiers)
        for end in drawing.made["Place"]:
            if start is end:
                continue
            way = trip(map_of, start, end)
            large = _cheapest([(fare(tier, way), tier) for tier in all_tiers if tier.seats >= 5])
            quiet = _cheapest([(fare(tier, way), tier) for tier in all_tiers if tier.electric])
            yield {"id": f"{start.id}/{end.id}", "start": start.id, "start_name": start.name, "end": end.id,
                "end_name": end.name, "metres": way.metres, "from_home": int(start.id == home),
                "large": large[1].id, "large_name": large[1].name, "large_apart": large[0],
                "quiet": quiet[1].id, "quiet_name": quiet[1].name, "quiet_apart": quiet[0],
                "soon": waits[0][1].id, "soon_name": waits[0][1].name}  # fmt: skip


def _cheapest(fares: list[tuple[int, Entity]]) -> tuple[int, Entity]:
    """Return the kind of car that costs least, and by how much it is cheaper than the next one."""
    (least, tier), (next_one, _), *_ = sorted(fares, key=lambda one: one[0])
    return next_one - least, tier


def outings(drawing: Drawing) -> Iterator[Values]:
    """Yield every ride with its title, and what it is among those like it."""
    names = {one.id: one.name for one in (*drawing.made["Place"], *drawing.made["Tier"])}
    rated = {one.ride for one in drawing.made["Rating"]}
    home = drawing.made["Saved"][0].place
    all_rides = drawing.made["Ride"]
    days = Counter(one.day for one in all_rides if one.day)
    nth: Counter[str] = Counter()
    for one in all_rides:
        nth[one.day] += bool(one.day)
        over = [other for other in all_rides if other.state == "state_done"]
        there = [other.price for other in over if other.target == one.target]
        alike = [other.price for other in over if other.tier == one.tier]
        owed = [other.id for other in over if not other.paid]
        yield {**{name: one[name] for name in _SAME}, "title": f"{names[one.target]}, {one.said}",
            "start_name": names[one.origin], "end_name": names[one.target], "tier_name": names[one.tier],
            "on_day": days[one.day] if one.day else 0, "nth": nth[one.day] if one.day else 0,
            "from_home": int(one.origin == home), "to_home": int(one.target == home),
            "rated": int(one.id in rated), "owed": owed.index(one.id) + 1 if one.id in owed else 0,
            "there": len(there), "dear_there": _rank(one.price, there), "alike": len(alike),
            "dear_alike": _rank(one.price, alike)}  # fmt: skip


def _rank(price: int, prices: list[int]) -> int:
    """Return 1 for the dearest of several, 2 for the next; 0 where another one costs as much."""
    return 0 if prices.count(price) != 1 else 1 + sum(other > price for other in prices)


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield the days from today on."""
    today = drawing.start.date()
    planned = Counter(one.day for one in drawing.made["Ride"])
    for ahead in range(_AHEAD):
        day: date = today + timedelta(days=ahead)
        # Weeks begin on Monday: next week may begin tomorrow.
        yield {"id": day.isoformat(), "name": dates.say(drawing.look.dates, day), "ahead": ahead,
            "weekday": dates.WEEKDAYS[day.weekday()], "weeks": (ahead + today.weekday()) // 7,
            "planned": planned[day.isoformat()]}  # fmt: skip


def newcomers(drawing: Drawing) -> Iterator[Values]:
    """Yield people whom the contacts do not name yet, with a name that no contact and no driver bears."""
    taken = {one.name for one in (*drawing.made["Contact"], *drawing.made["Driver"])}
    for person in drawing.call("strangers")(drawing):
        if person["name"] not in taken:
            yield {name: person[name] for name in ("id", "name", "phone")}
