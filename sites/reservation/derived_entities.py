"""Entities that goals refer to but no table holds: restaurants and reviews with ranks, days, and free tables."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import combinations

from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing
from stressweb.sites.kit.wording import dates
from stressweb.sites.reservation import seating
from stressweb.sites.reservation.plan import DIETS, FEATURES, Values

AT_ONCE = 12
"""Number of restaurants in the list at first, and of further ones each time: `at_once` in the spec."""
_EVENING, _NOON = "19:00", "15:00"
_STARS = {"rating_45": 4.5, "rating_40": 4.0, "rating_35": 3.5}
"""Minimum ratings that a list can be filtered by, the highest first."""
_TURNS = 6
"""Maximum number of draws of filters for two extras of a restaurant."""


def places(drawing: Drawing) -> Iterator[Values]:
    """Yield every restaurant with its ranks among others."""
    rows = drawing.made["Restaurant"]
    order = _numbers_by_id(sorted(rows, key=lambda row: -row.popularity))
    best = _numbered_by(sorted(rows, key=lambda row: -row.rating), "cuisine")
    cheap = _numbered_by(sorted(rows, key=lambda row: row.price), "district")
    dear = _numbered_by(sorted(rows, key=lambda row: -row.price), "cuisine")
    of_cuisine, of_district = (Counter(row[name] for row in rows) for name in ("cuisine", "district"))
    stays = drawing.made["Booking"]
    visits = Counter(stay.restaurant for stay in stays if stay.status == "status_visited")
    booked = Counter(stay.restaurant for stay in stays if stay.status == "status_booked")
    latest = max((stay for stay in stays if stay.status == "status_visited"), key=lambda stay: stay.day).restaurant
    for row in rows:
        yield {
            **row,
            "nth": order[row.id],
            "best": best[row.id],
            "of_cuisine": of_cuisine[row.cuisine],
            "cheap": cheap[row.id],
            "of_district": of_district[row.district],
            "dear": dear[row.id],
            "visits": visits[row.id],
            "booked": booked[row.id],
            "latest": int(row.id == latest),
            "most": int(visits[row.id] == max(visits.values())),
        }


def _numbers_by_id(rows: Iterable[Entity]) -> dict[str, int]:
    return {row.id: number for number, row in enumerate(rows, start=1)}


def _numbered_by(rows: Iterable[Entity], column: str) -> dict[str, int]:
    """Return the number of each row among those with the same value in a column."""
    groups: dict[str, list[Entity]] = defaultdict(list)
    for row in rows:
        groups[row[column]].append(row)
    return {key: number for group in groups.values() for key, number in _numbers_by_id(group).items()}


def quests(drawing: Drawing) -> Iterator[Values]:
    """Yield sets of filters that match one restaurant, but more without the cuisine, the price or an extra."""
    rows, cuisines = drawing.made["Restaurant"], [cuisine.id for cuisine in drawing.made["Cuisine"]]
    for row in rows:
        stars = next((label for label, least in _STARS.items() if row.rating >= least), "")
        for first, second in combinations([name for name in FEATURES if row[name]] if stars else (), 2):
            for turn in range(_TURNS):
                key = ("quest", row.id, first, second, turn)
                other = drawing.pick([cuisine for cuisine in cuisines if cuisine != row.cuisine], *key)
                low = max(5, row.price // 100 - 2 - int(drawing.unit(*key, "low") * 14))
                high = row.price // 100 + 3 + int(drawing.unit(*key, "high") * 16)
                filters = {"cuisine": row.cuisine, "other": other, "low": low, "high": high, "stars": stars}
                quest = {"id": f"{row.id}/{first}/{second}", "place": row.id, "one": first, "two": second, **filters}
                if _is_needed(rows, quest):
                    yield quest
                    break


def _is_needed(rows: Sequence[Entity], quest: Values) -> bool:
    low, high, least = quest["low"] * 100, quest["high"] * 100, _STARS[quest["stars"]]
    # For each row, one bit per condition that it does not meet.
    missed = [
        (row.cuisine not in (quest["cuisine"], quest["other"]))
        | (row.price < low) << 1
        | (row.price > high) << 1
        | (row.rating < least) << 2
        | (not row[quest["one"]]) << 3
        | (not row[quest["two"]]) << 4
        for row in rows
    ]
    # Cuisine, price, and each of the two extras must be necessary.
    return missed.count(0) == 1 and all(missed.count(bit) for bit in (1, 2, 8, 16))


def days(drawing: Drawing) -> Iterator[Values]:
    """Yield the days on which tables can be booked."""
    today = drawing.start.date()
    booked = Counter(booking.day for booking in drawing.made["Booking"] if booking.status == "status_booked")
    for days_ahead in range(seating.DAYS):
        day = today + timedelta(days=days_ahead)
        next_month = (day.year - today.year) * 12 + day.month - today.month == 1
        yield {
            "id": day.isoformat(),
            "name": dates.say(drawing.look.dates, day),
            "weekday": dates.WEEKDAYS[day.weekday()],
            "ahead": days_ahead,
            # Weeks begin on Monday: next week may begin tomorrow.
            "weeks": (days_ahead + today.weekday()) // 7,
            "first_of_next_month": int(next_month and day.day <= 7),
            "booked": booked[day.isoformat()],
        }


def openings(drawing: Drawing) -> Iterator[Values]:
    """Yield for each restaurant and day the free times for a party of a drawn size."""
    floors = {floor.id: floor for floor in drawing.made["Floor"]}
    for place in drawing.made["Restaurant"]:
        for day in seating.days(floors[place.id])[2:]:
            party = 3 + int(drawing.unit("party", place.id, day) * 4)
            times = seating.free(place, floors[place.id], day, party)
            opening = {"restaurant": place.id, "cuisine": place.cuisine, "day": day, "party": party, "free": len(times)}
            yield {
                "id": f"{place.id}/{day}",
                **opening,
                "all": len(place.times.split()),
                "time": drawing.pick(times, "time", place.id, day) if times else "",
                "evening": next((time for time in times if time >= _EVENING), ""),
                "noon": next((time for time in times if time < _NOON), ""),
                "first": times[0] if times else "",
            }


def stays(drawing: Drawing) -> Iterator[Values]:
    """Yield all bookings with their ranks among those of the same restaurant and status."""
    rows = sorted(drawing.made["Booking"], key=lambda booking: (booking.day, booking.time))
    names = {restaurant.id: restaurant.name for restaurant in drawing.made["Restaurant"]}
    of_place = Counter((booking.restaurant, booking.status) for booking in rows)
    visited = [booking.id for booking in rows if booking.status == "status_visited"]
    nth: Counter[tuple[str, str]] = Counter()
    for row in rows:
        key = row.restaurant, row.status
        nth[key] += 1
        yield {
            **row,
            "title": titled(names[row.restaurant], row.day, drawing.look.dates),
            "name": names[row.restaurant],
            "day_name": dates.say(drawing.look.dates, date.fromisoformat(row.day)),
            "nth": nth[key],
            "of_place": of_place[key],
            "last": int(row.id == visited[-1]),
        }


def titled(name: str, day: str, style: str) -> str:
    """Return the title of a booking in lists: the restaurant, and the day without its weekday and year."""
    return f"{name}, {dates.brief(style, date.fromisoformat(day))}"


def moves(drawing: Drawing) -> Iterator[Values]:
    """Yield for each current booking the days to which it could be moved at the same time, for a larger party."""
    floors = {floor.id: floor for floor in drawing.made["Floor"]}
    rows = {restaurant.id: restaurant for restaurant in drawing.made["Restaurant"]}
    booked_days = {booking.day for booking in drawing.made["Booking"]}
    for booking in drawing.made["Booking"]:
        for day in seating.days(floors[booking.restaurant])[2:] if booking.status == "status_booked" else ():
            party = booking.party + 1 + int(drawing.unit("move", booking.id, day) * 2)
            if day not in booked_days and booking.time in seating.free(
                rows[booking.restaurant], floors[booking.restaurant], day, party
            ):
                yield {"id": f"{booking.id}/{day}", "booking": booking.id, "day": day, "party": party}


def opinions(drawing: Drawing) -> Iterator[Values]:
    """Yield every review with its rank among those of its restaurant, the newest first."""
    rows = drawing.made["Review"]
    titles = Counter((review.restaurant, review.title) for review in rows)
    nth: Counter[tuple[str, str]] = Counter()
    for review in sorted(rows, key=lambda review: review.placed, reverse=True):
        place = str(review.restaurant)
        nth[place, ""] += 1
        low = int(review.rating <= 3)
        nth[place, f"low{low}"] += 1
        sole = int(titles[place, review.title] == 1)
        more = review.helpful + 1
        yield {
            **review,
            "more": more,
            "nth": nth[place, ""],
            "low": low,
            "nth_low": nth[place, f"low{low}"],
            "sole": sole,
        }


def servings(drawing: Drawing) -> Iterator[Values]:
    """Yield every dish with its restaurant, and its price as text."""
    names = {restaurant.id: restaurant.name for restaurant in drawing.made["Restaurant"]}
    for dish in drawing.made["Dish"]:
        yield {**dish, "place_name": names[dish.restaurant], "cost": drawing.look.money(dish.price)}


def duels(drawing: Drawing) -> Iterator[Values]:
    """Yield pairs of restaurants of the same cuisine on a day, the first with more free times for a party."""
    rows, floors = drawing.made["Restaurant"], {floor.id: floor for floor in drawing.made["Floor"]}
    taken = {(booking.day, booking.time) for booking in drawing.made["Booking"]}
    for first in rows:
        others = [other for other in rows if other.cuisine == first.cuisine and other.id != first.id]
        for day in seating.days(floors[first.id])[4::3]:
            key = ("duel", first.id, day)
            other, party = drawing.pick(others, *key, "other"), 3 + int(drawing.unit(*key, "party") * 4)
            times, other_times = (seating.free(place, floors[place.id], day, party) for place in (first, other))
            # Neither is full, so that both pages have a list of times.
            if len(times) > len(other_times) > 0:
                duel = {
                    "place": first.id,
                    "name": first.name,
                    "other": other.id,
                    "other_name": other.name,
                    "free": len(times),
                    # A second table at the time of another booking is refused.
                    "time": next((time for time in times if (day, time) not in taken), ""),
                }
                yield {"id": f"{first.id}/{day}", "day": day, "party": party, **duel}


def turns(drawing: Drawing) -> Iterator[Values]:
    """Yield one row for each time that the list of restaurants must be extended until it shows all."""
    yield from ({"id": str(number)} for number in range(1, -(-len(drawing.made["Restaurant"]) // AT_ONCE)))


def eaten(drawing: Drawing) -> Iterator[Values]:
    """Yield the diets that are initially ticked in the profile."""
    (profile,) = drawing.made["Profile"]
    yield from ({"id": name} for name in DIETS if profile[name])
