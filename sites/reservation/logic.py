"""Data and actions of the reservation site that its spec cannot express: free tables, bookings, and their pages."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from stressweb.core.entity import Entity
from stressweb.sites.kit import RefusedError, Visit
from stressweb.sites.kit.mixins.restaurants.motifs import MOTIFS
from stressweb.sites.kit.widgets.listing.model import words
from stressweb.sites.kit.wording import dates
from stressweb.sites.reservation import seating
from stressweb.sites.reservation.derived_entities import (
    days,
    duels,
    eaten,
    moves,
    openings,
    opinions,
    places,
    quests,
    servings,
    stays,
    titled,
    turns,
)
from stressweb.sites.reservation.plan import (
    DIETS,
    bookings,
    cuisines,
    dishes,
    districts,
    floors,
    profiles,
    restaurants,
    reviews,
)

# The spec names functions of this module; those that make the data are defined in other modules.
__all__ = [
    "MOTIFS", "bookings", "cuisines", "days", "dishes", "districts", "duels", "eaten", "floors", "moves", "openings",
    "opinions", "places", "profiles", "quests", "restaurants", "reviews", "servings", "stays", "turns",
]  # fmt: skip

_ON_MENUS = ("vegetarian", "vegan", "gluten_free")
"""Diets that menus show for a dish."""
_LUNCH_ENDS = "16:00"
_USUAL_TIME = "19:00"
_PARTIES = frozenset(str(number) for number in range(1, 11))

type Shown = Mapping[str, Any]


def upcoming_count(visit: Visit) -> Shown:
    """Return the number of current bookings."""
    return {"count": len(visit.store.where("Booking", {"status": "status_booked"}))}


def table_request(visit: Visit) -> Shown:
    """Return the party, day, time and words of a search for tables; what is missing or wrong has its usual value."""
    party = visit.args.get("party", "")
    # As in the form for a booking, tomorrow is the first day that is proposed.
    day = dates.day(visit.args.get("day", "")) or date.fromisoformat(visit.today) + timedelta(days=1)
    asked = Entity(
        party=party if party in _PARTIES else "2",
        day=day.isoformat(),
        time=dates.clock(visit.args.get("time", "")) or _USUAL_TIME,
        words=visit.args.get("words", "").strip(),
    )
    return {"asked": Entity({**asked, "date": visit.date(asked.day)})}


def free_tables(visit: Visit) -> Shown:
    """Return the restaurants with a table about the time of a search, the most popular first, each with its times."""
    asked: Entity = table_request(visit)["asked"]
    wanted = words(asked.words)
    rows = []
    for place in visit.store.where("Restaurant", {}):
        times = seating.near(asked.time, _free(place, _floor(visit, place), asked.day, int(asked.party), None))
        if times and wanted <= words(f"{place.name} {place.cuisine_name} {place.district}"):
            first, second, third, *_ = (*times, "", "")
            rows.append(Entity({**place, "first": first, "second": second, "third": third}))
    rows.sort(key=lambda place: -place.popularity)
    return {"asked": asked, "tables": rows, "count": len(rows)}


def cuisine_rows(visit: Visit) -> Shown:
    """Return the cuisines with the number of their restaurants and their mean price."""
    kinds = []
    for cuisine in visit.store.where("Cuisine", {}):
        prices = [place.price for place in visit.store.where("Restaurant", {"cuisine": cuisine.id})]
        mean = visit.look.money(round(sum(prices) / len(prices)))
        kinds.append(Entity({**cuisine, "count": len(prices), "price": mean}))
    return {"kinds": kinds}


def dishes_to_try(visit: Visit) -> Shown:
    """Return the dishes to try, each with its restaurant."""
    rows = visit.store.where("Dish", {"wanted": 1})
    return {"wanted": [Entity({**dish, "place": visit.store.one("Restaurant", dish.restaurant)}) for dish in rows]}


def restaurant_page(visit: Visit) -> Shown:
    """Return the meal times and opening hours of a restaurant, and the days on which it has a table for two."""
    place = visit.names["restaurant"]
    times = place.times.split()
    meals = [[time for time in times if (time < _LUNCH_ENDS) == early] for early in (True, False)]
    lunch, dinner = (f"{meal[0]}-{meal[-1]}" if meal else "" for meal in meals)
    floor = _floor(visit, place)
    free_days = [day for day in seating.days(floor) if seating.free(place, floor, day, 2)]
    opening = ", ".join(f"{meal[0]}-{seating.closing(meal[-1])}" for meal in meals if meal)
    closed_label = visit.say("closed_all_day")
    week = [Entity(day=day, hours=closed_label if day == place.closed else opening) for day in dates.WEEKDAYS]
    return {"lunch": lunch, "dinner": dinner, "days": free_days, "week": week}


def menu(visit: Visit) -> Shown:
    """Return the dishes of a restaurant by course, and whether they suit the profile's diets."""
    eats = [name for name in _ON_MENUS if _profile(visit)[name]]
    courses: dict[str, list[Entity]] = {name: [] for name in ("starter", "main", "side", "dessert", "drink")}
    for dish in visit.store.where("Dish", {"restaurant": visit.names["restaurant"].id}):
        suits = bool(eats) and all(dish[name] for name in eats)
        courses[dish.course].append(Entity({**dish, "suits": suits}))
    return {"courses": courses}


def booking_form(visit: Visit) -> Shown:
    """Return the answers about a new booking so far, and the times of day with free ones."""
    return _form_state(visit, visit.names["restaurant"], None)


def change_form(visit: Visit) -> Shown:
    """Return the same for changing a booking."""
    booking = visit.names["booking"]
    place = _place(visit, booking)
    return {**_form_state(visit, place, booking), "restaurant": place}


def _form_state(visit: Visit, place: Entity, booking: Entity | None) -> Shown:
    booked = booking or Entity(party="", day="", time="", seating="", occasion="", request="")
    answers = {name: visit.args.get(name, str(booked[name])) for name in booked if name in _FORM_FIELDS}
    # Before the last step, show no details: they are initial values of the form, not answers.
    shown_answers = (
        answers if visit.args.get("step") == "3" else {**answers, "seating": "", "occasion": "", "request": ""}
    )
    # Show only valid options; the form reports others later.
    shown_answers |= {
        name: shown_answers[name] if shown_answers[name] in visit.world.labels else ""
        for name in ("seating", "occasion")
    }
    day = answers["day"] if dates.day(answers["day"]) else ""
    party = int(answers["party"]) if answers["party"] in _PARTIES else 0
    floor = _floor(visit, place)
    times = _free(place, floor, day, party, booking) if day and party else []
    known = seating.sizes(place, floor, day) if day else {}
    slots = [Entity(time=time, free=time in times) for time in known]
    eats = [visit.say(name) for name in DIETS if _profile(visit)[name]]
    row = {**shown_answers, "day": day, "place": place.name, "full": bool(day and party and not times), "eats": eats}
    # The first possible day: tomorrow, or when the restaurant opens again.
    first = next(day for day in seating.days(floor) if day > visit.today)
    return {"draft": Entity(row), "slots": slots, "first_day": first, "eats": ", ".join(eats)}


_FORM_FIELDS = ("party", "day", "time", "seating", "occasion", "request")


def booking_lists(visit: Visit) -> Shown:
    """Return all bookings by status: current ones with the next one first, others with the latest first."""
    rows = sorted(visit.store.where("Booking", {}), key=lambda booking: (booking.day, booking.time))
    lists: dict[str, list[Entity]] = {"booked": [], "visited": [], "cancelled": []}
    for booking in rows:
        lists[booking.status.removeprefix("status_")].append(_with_title(visit, booking))
    return {"stays": {**lists, "visited": lists["visited"][::-1], "cancelled": lists["cancelled"][::-1]}}


def booking_page(visit: Visit) -> Shown:
    """Return a booking with its title, and its restaurant."""
    booking = visit.names["booking"]
    return {"stay": _with_title(visit, booking), "restaurant": _place(visit, booking)}


def profile_page(visit: Visit) -> Shown:
    """Return the profile and the open page of it."""
    return {"me": _profile(visit), "current": "link_contact" if "/contact" in visit.here else "link_diet"}


def mark_helpful(visit: Visit) -> None:
    """Mark a review as helpful."""
    _count(visit, 1)


def unmark_helpful(visit: Visit) -> None:
    """Remove this mark."""
    _count(visit, 0)


def _count(visit: Visit, marked: int) -> None:
    review = visit.values["review"]
    # Count two clicks on the same button once.
    if review.marked != marked:
        helped = review.helpful + (1 if marked else -1)
        visit.store.change("Review", {"id": review.id}, {"marked": marked, "helpful": helped})


def send_review(visit: Visit) -> None:
    """Publish a review of a visited restaurant; raises RefusedError for a second one."""
    place = visit.values["restaurant"].id
    if not visit.store.where("Booking", {"restaurant": place, "status": "status_visited"}):
        raise RefusedError("error_not_visited")
    key = f"{place}/mine"
    if visit.store.one("Review", key) is not None:
        raise RefusedError("error_reviewed")
    review = {"rating": int(visit.values["stars"]), "title": visit.values["title"], "text": visit.values["text"]}
    row = {"restaurant": place, "author": _profile(visit).name, "placed": visit.store.now, "helpful": 0, "marked": 0}
    visit.store.put("Review", {"id": key, **row, **review})


def add_booking(visit: Visit) -> Shown:
    """Book a table; raises RefusedError if it is no longer free."""
    place = visit.values["restaurant"]
    _check(visit, place, None)
    # Bookings are never deleted, so the number is new.
    number = max(int(booking.id) for booking in visit.store.where("Booking", {})) + 7
    row = {"id": str(number), "restaurant": place.id, **{name: visit.values[name] for name in _FORM_FIELDS}}
    state = {"status": "status_booked", "reason": "", "made": visit.store.now}
    visit.store.put("Booking", {**row, **state})
    return {"made": Entity(row)}


def change_booking(visit: Visit) -> Shown:
    """Change a booking; return its restaurant."""
    booking = visit.values["booking"]
    place = _place(visit, booking)
    _check(visit, place, booking)
    visit.store.change("Booking", {"id": booking.id}, {name: visit.values[name] for name in _FORM_FIELDS})
    return {"restaurant": place}


def _check(visit: Visit, place: Entity, booking: Entity | None) -> None:
    day, time, party = (visit.values[name] for name in ("day", "time", "party"))
    if time not in _free(place, _floor(visit, place), day, party, booking):
        raise RefusedError("error_full")
    same_time = visit.store.where("Booking", {"day": day, "time": time, "status": "status_booked"})
    if any(booking is None or other.id != booking.id for other in same_time):
        raise RefusedError("error_twice")


def _free(place: Entity, floor: Entity, day: str, party: int, booking: Entity | None) -> list[str]:
    """Return the free times; the time of the booking that is being changed counts as free."""
    own = booking.time if booking and booking.day == day and party <= int(booking.party) else ""
    times = seating.free(place, floor, day, party)
    return [time for time in place.times.split() if time in times or time == own]


def _floor(visit: Visit, place: Entity) -> Entity:
    floor = visit.store.one("Floor", place.id)
    assert floor is not None, "every restaurant has a floor"
    return floor


def _profile(visit: Visit) -> Entity:
    (profile,) = visit.store.where("Profile", {})
    return profile


def _place(visit: Visit, booking: Entity) -> Entity:
    place = visit.store.one("Restaurant", booking.restaurant)
    assert place is not None, "restaurants are never deleted"
    return place


def _with_title(visit: Visit, row: Entity) -> Entity:
    place = _place(visit, row)
    return Entity({**row, "place": place.name, "title": titled(place.name, row.day, visit.look.dates)})
