"""What goals name and no table holds: restaurants and reviews among others, days, and tables that are free."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import combinations

from sites.kit import Drawing
from sites.kit.wording import dates
from sites.reservation import seating
from sites.reservation.plan import DIETS, FEATURES, Values
from stressweb.core.entity import Entity

AT_ONCE = 12
"""Restaurants that the list shows at first, and how many more each time: `at_once` of the spec."""
_EVENING, _NOON = "19:00", "15:00"
_STARS = {"rating_45": 4.5, "rating_40": 4.0, "rating_35": 3.5}
"""The ratings that a list can be limited to, the highest first."""
_TURNS = 6
"""How often filters are drawn for two extras of a restaurant."""


def places(drawing: Drawing) -> Iterator[Values]:
    """Yield every restaurant with where it stands among others."""
    rows = drawing.made["Restaurant"]
    order = _numbered(sorted(rows, key=lambda one: -one.popularity))
    best = _numbered_by(sorted(rows, key=lambda one: -one.rating), "cuisine")
    cheap = _numbered_by(sorted(rows, key=lambda one: one.price), "district")
    dear = _numbered_by(sorted(rows, key=lambda one: -one.price), "cuisine")
    of_cuisine, of_district = (Counter(one[name] for one in rows) for name in ("cuisine", "district"))
    stays = drawing.made["Booking"]
    visits = Counter(one.restaurant for one in stays if one.status == "status_visited")
    booked = Counter(one.restaurant for one in stays if one.status == "status_booked")
    latest = max((one for one in stays if one.status == "status_visited"), key=lambda one: one.day).restaurant
    for one in rows:
        yield {
            **one,
            "nth": order[one.id],
            "best": best[one.id],
            "of_cuisine": of_cuisine[one.cuisine],
            "cheap": cheap[one.id],
            "of_district": of_district[one.district],
            "dear": dear[one.id],
            "visits": visits[one.id],
            "booked": booked[one.id],
            "latest": int(one.id == latest),
            "most": int(visits[one.id] == max(visits.values())),
        }


def _numbered(rows: Iterable[Entity]) -> dict[str, int]:
    return {one.id: number for number, one in enumerate(rows, start=1)}


def _numbered_by(rows: Iterable[Entity], column: str) -> dict[str, int]:
    """Return the number of each row among those that have the same value in a column."""
    groups: dict[str, list[Entity]] = defaultdict(list)
    for one in rows:
        groups[one[column]].append(one)
    return {key: number for group in groups.values() for key, number in _numbered(group).items()}


def quests(drawing: Drawing) -> Iterator[Values]:
    """Yield sets of filters that leave exactly one restaurant, and more without the cuisine, the price or an extra."""
    rows, cuisines = drawing.made["Restaurant"], [one.id for one in drawing.made["Cuisine"]]
    for one in rows:
        stars = next((label for label, least in _STARS.items() if one.rating >= least), "")
        for first, second in combinations([name for name in FEATURES if one[name]] if stars else (), 2):
            for turn in range(_TURNS):
                key = ("quest", one.id, first, second, turn)
                other = drawing.pick([cuisine for cuisine in cuisines if cuisine != one.cuisine], *key)
                low = max(5, one.price // 100 - 2 - int(drawing.unit(*key, "low") * 14))
                high = one.price // 100 + 3 + int(drawing.unit(*key, "high") * 16)
                told = {"cuisine": one.cuisine, "other": other, "low": low, "high": high, "stars": stars}
                quest = {"id": f"{one.id}/{first}/{second}", "place": one.id, "one": first, "two": second, **told}
                if _is_needed(rows, quest):
                    yield quest
                    break


def _is_needed(rows: Sequence[Entity], quest: Values) -> bool:
    low, high, least = quest["low"] * 100, quest["high"] * 100, _STARS[quest["stars"]]
    # Of each row, the conditions that it does not meet, a bit each.
    missed = [
        (row.cuisine not in (quest["cuisine"], quest["other"]))
        | (row.price < low) << 1
        | (row.price > high) << 1
        | (row.rating < least) << 2
        | (not row[quest["one"]]) << 3
        | (not row[quest["two"]]) << 4
        for row in rows
    ]
    # Cuisine, price, and each of the two extras must be asked for.
    return missed.count(0) == 1 and all(missed.count(out) for out in (1, 2, 8, 16))


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield the days on which tables can be booked."""
    today = drawing.start.date()
    booked = Counter(one.day for one in drawing.made["Booking"] if one.status == "status_booked")
    for ahead in range(seating.DAYS):
        day = today + timedelta(days=ahead)
        next_month = (day.year - today.year) * 12 + day.month - today.month == 1
        yield {
            "id": day.isoformat(),
            "name": dates.say(drawing.look.dates, day),
            "weekday": dates.WEEKDAYS[day.weekday()],
            "ahead": ahead,
            # Weeks begin on Monday: next week may begin tomorrow.
            "weeks": (ahead + today.weekday()) // 7,
            "first_of_next_month": int(next_month and day.day <= 7),
            "booked": booked[day.isoformat()],
        }


def openings(drawing: Drawing) -> Iterator[Values]:
    """Yield for each restaurant and day what a party finds that is drawn: how many tables, and when."""
    floors = {one.id: one for one in drawing.made["Floor"]}
    for place in drawing.made["Restaurant"]:
        for day in seating.days(floors[place.id])[2:]:
            party = 3 + int(drawing.unit("party", place.id, day) * 4)
            times = seating.free(place, floors[place.id], day, party)
            told = {"restaurant": place.id, "cuisine": place.cuisine, "day": day, "party": party, "free": len(times)}
            yield {
                "id": f"{place.id}/{day}",
                **told,
                "all": len(place.times.split()),
                "time": drawing.pick(times, "time", place.id, day) if times else "",
                "evening": next((time for time in times if time >= _EVENING), ""),
                "noon": next((time for time in times if time < _NOON), ""),
                "first": times[0] if times else "",
            }


def stays(drawing: Drawing) -> Iterator[Values]:
    """Yield all bookings, with what they are to others of the same restaurant and the same state."""
    rows = sorted(drawing.made["Booking"], key=lambda one: (one.day, one.time))
    names = {one.id: one.name for one in drawing.made["Restaurant"]}
    of_place = Counter((one.restaurant, one.status) for one in rows)
    visited = [one.id for one in rows if one.status == "status_visited"]
    nth: Counter[tuple[str, str]] = Counter()
    for one in rows:
        key = one.restaurant, one.status
        nth[key] += 1
        yield {
            **one,
            "title": titled(names[one.restaurant], one.day, drawing.look.dates),
            "name": names[one.restaurant],
            "day_name": dates.say(drawing.look.dates, date.fromisoformat(one.day)),
            "nth": nth[key],
            "of_place": of_place[key],
            "last": int(one.id == visited[-1]),
        }


def titled(name: str, day: str, style: str) -> str:
    """Return what lists call a booking: the restaurant, and the day without its weekday and year."""
    return f"{name}, {dates.brief(style, date.fromisoformat(day))}"


def moves(drawing: Drawing) -> Iterator[Values]:
    """Yield for each table that is booked the days to which it could be moved at the same time, for a larger party."""
    floors = {one.id: one for one in drawing.made["Floor"]}
    rows = {one.id: one for one in drawing.made["Restaurant"]}
    taken = {one.day for one in drawing.made["Booking"]}
    for one in drawing.made["Booking"]:
        for day in seating.days(floors[one.restaurant])[2:] if one.status == "status_booked" else ():
            party = one.party + 1 + int(drawing.unit("move", one.id, day) * 2)
            if day not in taken and one.time in seating.free(rows[one.restaurant], floors[one.restaurant], day, party):
                yield {"id": f"{one.id}/{day}", "booking": one.id, "day": day, "party": party}


def opinions(drawing: Drawing) -> Iterator[Values]:
    """Yield every review with its place among those of its restaurant, the newest first."""
    rows = drawing.made["Review"]
    titles = Counter((one.restaurant, one.title) for one in rows)
    nth: Counter[tuple[str, str]] = Counter()
    for one in sorted(rows, key=lambda one: one.placed, reverse=True):
        place = str(one.restaurant)
        nth[place, ""] += 1
        low = int(one.rating <= 3)
        nth[place, f"low{low}"] += 1
        sole = int(titles[place, one.title] == 1)
        more = one.helpful + 1
        yield {**one, "more": more, "nth": nth[place, ""], "low": low, "nth_low": nth[place, f"low{low}"], "sole": sole}


def servings(drawing: Drawing) -> Iterator[Values]:
    """Yield every dish with the restaurant that serves it, and what it costs in words."""
    names = {one.id: one.name for one in drawing.made["Restaurant"]}
    for one in drawing.made["Dish"]:
        yield {**one, "place_name": names[one.restaurant], "cost": drawing.look.money(one.price)}


def duels(drawing: Drawing) -> Iterator[Values]:
    """Yield two restaurants of one cuisine on a day, the first of which has more times for a party."""
    rows, floors = drawing.made["Restaurant"], {one.id: one for one in drawing.made["Floor"]}
    for one in rows:
        others = [other for other in rows if other.cuisine == one.cuisine and other.id != one.id]
        for day in seating.days(floors[one.id])[4::3]:
            key = ("duel", one.id, day)
            other, party = drawing.pick(others, *key, "other"), 3 + int(drawing.unit(*key, "party") * 4)
            more, less = (len(seating.free(place, floors[place.id], day, party)) for place in (one, other))
            # Neither is full, so that the page of each has a list.
            if more > less > 0:
                told = {"place": one.id, "name": one.name, "other": other.id, "other_name": other.name, "free": more}
                yield {"id": f"{one.id}/{day}", "day": day, "party": party, **told}


def turns(drawing: Drawing) -> Iterator[Values]:
    """Yield one row for each time that the list of restaurants must be made longer until it shows all."""
    yield from ({"id": str(number)} for number in range(1, -(-len(drawing.made["Restaurant"]) // AT_ONCE)))


def eaten(drawing: Drawing) -> Iterator[Values]:
    """Yield what is ticked in the profile at first."""
    (profile,) = drawing.made["Profile"]
    yield from ({"id": name} for name in DIETS if profile[name])
