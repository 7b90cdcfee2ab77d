"""Entities that goals refer to but no table holds: trips with fares, rides with ranks, and days."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing
from stressweb.sites.kit.wording import dates
from stressweb.sites.ride.fares import fare, trip
from stressweb.sites.ride.plan import Values, town_of

_SAME = ("id", "origin", "target", "tier", "day", "time", "state", "card", "passengers")
_AHEAD = 40
"""Days from today on that goals can name."""


def trips(drawing: Drawing) -> Iterator[Values]:
    """Yield every trip between two places with the kinds of cars that a goal may ask for.

    `large_apart` and `quiet_apart` are how many cents the cheapest costs less than the next one.
    """
    town_map, all_tiers = town_of(drawing), drawing.made["Tier"]
    minutes = {wait.id: wait.minutes for wait in drawing.made["Wait"]}
    home = drawing.made["Saved"][0].place
    for start in drawing.made["Place"]:
        waits = sorted((minutes[f"{start.id}/{tier.id}"], tier) for tier in all_tiers)
        for end in drawing.made["Place"]:
            if start is end:
                continue
            route = trip(town_map, start, end)
            large = _cheapest([(fare(tier, route), tier) for tier in all_tiers if tier.seats >= 5])
            quiet = _cheapest([(fare(tier, route), tier) for tier in all_tiers if tier.electric])
            yield {"id": f"{start.id}/{end.id}", "start": start.id, "start_name": start.name, "end": end.id,
                "end_name": end.name, "metres": route.metres, "from_home": int(start.id == home),
                "large": large[1].id, "large_name": large[1].name, "large_apart": large[0],
                "quiet": quiet[1].id, "quiet_name": quiet[1].name, "quiet_apart": quiet[0],
                "soon": waits[0][1].id, "soon_name": waits[0][1].name}  # fmt: skip


def _cheapest(fares: list[tuple[int, Entity]]) -> tuple[int, Entity]:
    """Return the difference in cents between the cheapest kind of car and the next, and the cheapest."""
    (lowest, tier), (next_lowest, _), *_ = sorted(fares, key=lambda priced: priced[0])
    return next_lowest - lowest, tier


def outings(drawing: Drawing) -> Iterator[Values]:
    """Yield every ride with its title and its rank among similar rides."""
    names = {row.id: row.name for row in (*drawing.made["Place"], *drawing.made["Tier"])}
    rated = {rating.ride for rating in drawing.made["Rating"]}
    home = drawing.made["Saved"][0].place
    all_rides = drawing.made["Ride"]
    days = Counter(ride.day for ride in all_rides if ride.day)
    nth: Counter[str] = Counter()
    for ride in all_rides:
        nth[ride.day] += bool(ride.day)
        past_rides = [past_ride for past_ride in all_rides if past_ride.state == "state_done"]
        prices_there = [past_ride.price for past_ride in past_rides if past_ride.target == ride.target]
        prices_of_tier = [past_ride.price for past_ride in past_rides if past_ride.tier == ride.tier]
        unpaid_ids = [past_ride.id for past_ride in past_rides if not past_ride.paid]
        yield {**{name: ride[name] for name in _SAME}, "title": f"{names[ride.target]}, {ride.said}",
            "start_name": names[ride.origin], "end_name": names[ride.target], "tier_name": names[ride.tier],
            "on_day": days[ride.day] if ride.day else 0, "nth": nth[ride.day] if ride.day else 0,
            "from_home": int(ride.origin == home), "to_home": int(ride.target == home),
            "rated": int(ride.id in rated), "owed": unpaid_ids.index(ride.id) + 1 if ride.id in unpaid_ids else 0,
            "there": len(prices_there), "dear_there": _rank(ride.price, prices_there), "alike": len(prices_of_tier),
            "dear_alike": _rank(ride.price, prices_of_tier)}  # fmt: skip


def _rank(price: int, prices: list[int]) -> int:
    """Return 1 for the highest price, 2 for the next; 0 if another ride costs the same."""
    return 0 if prices.count(price) != 1 else 1 + sum(other_price > price for other_price in prices)


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield the days from today on."""
    today = drawing.start.date()
    planned = Counter(ride.day for ride in drawing.made["Ride"])
    for days_ahead in range(_AHEAD):
        day: date = today + timedelta(days=days_ahead)
        # Weeks begin on Monday: next week may begin tomorrow.
        yield {"id": day.isoformat(), "name": dates.say(drawing.look.dates, day), "ahead": days_ahead,
            "weekday": dates.WEEKDAYS[day.weekday()], "weeks": (days_ahead + today.weekday()) // 7,
            "planned": planned[day.isoformat()]}  # fmt: skip


def newcomers(drawing: Drawing) -> Iterator[Values]:
    """Yield people who are not contacts yet; no contact or driver has their name."""
    used_names = {row.name for row in (*drawing.made["Contact"], *drawing.made["Driver"])}
    for person in drawing.call("strangers")(drawing):
        if person["name"] not in used_names:
            yield {name: person[name] for name in ("id", "name", "phone")}
