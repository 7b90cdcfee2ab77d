"""Generates a world's restaurants, reviews, free tables and bookings."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from operator import itemgetter
from typing import Any

from stressweb.core.draws import Keyed
from stressweb.core.entity import Entity
from stressweb.sites.kit import Drawing, moment
from stressweb.sites.kit.mixins.restaurants.logic import opinion
from stressweb.sites.kit.mixins.restaurants.motifs import BY_CUISINE, ROOMS, pictured
from stressweb.sites.kit.wording import dates, phones
from stressweb.sites.reservation import seating

FEATURES = {"terrace": 0.45, "accessible": 0.6, "parking": 0.4, "music": 0.3, "pets": 0.4, "children": 0.5}
"""Features of restaurants, and their probability."""
DIETS = ("vegetarian", "vegan", "gluten_free", "lactose_free", "nut_free")
"""Diets in the profile."""
_DISTRICTS = 6
_PRICES = {1: range(1400, 2900, 50), 2: range(2900, 4700, 50), 3: range(4700, 6300, 50)}
"""Prices of a meal, in hundredths, by level of the restaurant."""
_FAVOURITES = 7
_SIDE_BY_SIDE = 3
"""Number of restaurants in a row with different pictures."""
_TO_TRY = 4
_VISITS = (4, 3, 2, 2, 1, 1)
"""Numbers of past visits to known restaurants."""
_CANCELLED = (1, 1, 4)
"""Indexes of known restaurants with a cancelled booking; so there are more bookings at the second than the first."""
_UPCOMING = (2, 5, 4, 6, 2, 8, 3, 6)
"""Sizes of the parties of current bookings; the first two are at the same restaurant."""

type Values = dict[str, Any]


def cuisines(drawing: Drawing) -> Iterator[Values]:
    """Yield the cuisines of the world."""
    for key, name in dict.fromkeys((place.cuisine, place.cuisine_name) for place in drawing.made["Eatery"]):
        yield {"id": key, "name": name, "picture": f"/pictures/{BY_CUISINE[key]}/{key}.svg"}


def districts(drawing: Drawing) -> Iterator[Values]:
    """Yield the districts with restaurants."""
    areas = drawing.shuffled(sorted({place.area for place in drawing.made["Eatery"]}), "districts")[:_DISTRICTS]
    yield from ({"id": name, "name": name} for name in sorted(areas))


def restaurants(drawing: Drawing) -> Iterator[Values]:
    """Yield every restaurant; prices differ, and within a cuisine ratings differ."""
    places = drawing.made["Eatery"]
    areas = drawing.shuffled([district.name for district in drawing.made["District"]], "areas")
    prices = {level: drawing.shuffled(range_, "prices", level) for level, range_ in _PRICES.items()}
    ratings = {
        cuisine.id: drawing.shuffled(range(30, 50), "ratings", cuisine.id) for cuisine in drawing.made["Cuisine"]
    }
    orders = drawing.shuffled(range(1, len(places) + 1), "popularity")
    # The most visited restaurant is not a favourite yet.
    usual = acquaintances(drawing)[0].id
    rated = {place.id: ratings[place.cuisine].pop() / 10 for place in places}
    # Key them by rating, so that favourites have different ratings.
    candidates = {rated[place.id]: place.id for place in drawing.shuffled(places, "liked") if place.id != usual}
    liked = {*[*candidates.values()][:_FAVOURITES]}
    # The first page shows the most popular, side by side.
    popular = [place for _, place in sorted(zip(orders, places, strict=True), key=itemgetter(0), reverse=True)]
    motifs = pictured(drawing, ROOMS, popular, apart=_SIDE_BY_SIDE)
    for number, place in enumerate(places):
        key = ("restaurant", place.id)
        # Some districts have a few more restaurants than others.
        district = areas[number % _DISTRICTS if drawing.unit(*key, "place") < 0.6 else 0 if number % 3 else 1]
        row = {
            **{name: place[name] for name in ("id", "name", "cuisine", "cuisine_name")},
            # The blurb must name the district of this site.
            "blurb": place.blurb.replace(place.area, district),
            "district": district,
            "address": f"{place.address}, {district}",
            "phone": phones.landline(int(drawing.unit(*key, "phone") * phones.LANDLINES)),
            "price": prices[place.level].pop(),
            "rating": rated[place.id],
            "ratings": 12 + int(drawing.unit(*key, "many") ** 2 * 2400),
            "popularity": orders[number],
            "closed": drawing.pick(("", "", "", *dates.WEEKDAYS[:4], "Sunday"), *key, "closed"),
            "times": " ".join(_times(drawing, *key)),
            "picture": f"/pictures/{motifs[place.id]}/{place.id}.svg",
            "favourite": int(place.id in liked),
            **{name: int(drawing.unit(*key, name) < share) for name, share in FEATURES.items()},
        }
        days = (_tables(drawing, row, day) for day in (0, 1))
        yield {
            **row,
            **{name: int(seating.seats(word, 2)) for name, word in zip(("today", "tomorrow"), days, strict=True)},
        }


def acquaintances(drawing: Drawing) -> list[Entity]:
    """Return all restaurants, the most visited first."""
    return drawing.shuffled(drawing.made["Eatery"], "known")


def _times(drawing: Drawing, *key: Any) -> Iterator[str]:
    step = drawing.pick((30, 30, 45), *key, "step")
    lunch = range(720, 850, step) if drawing.unit(*key, "lunch") < 0.7 else ()
    first = drawing.pick((1050, 1080, 1110), *key, "first")
    for minute in (*lunch, *range(first, 1300, step)):
        yield f"{minute // 60:02d}:{minute % 60:02d}"


def floors(drawing: Drawing) -> Iterator[Values]:
    """Yield for each restaurant the free tables of the next weeks; there are fewer on Fridays and Saturdays."""
    for place in drawing.made["Restaurant"]:
        words = (_tables(drawing, place, day) for day in range(seating.DAYS))
        yield {"id": place.id, "first": drawing.start.date().isoformat(), "free": " ".join(words)}


def _tables(drawing: Drawing, place: Values, day: int) -> str:
    """Return the word of `Floor.free` for the day `day` days from today."""
    weekday = (drawing.start + timedelta(days=day)).weekday()
    if dates.WEEKDAYS[weekday] == place["closed"]:
        return seating.CLOSED
    taken_share = 0.5 if weekday in (4, 5) else 0.3
    draws = map(Keyed(*drawing.key, "floor", place["id"], day).unit, place["times"].split())
    return "".join(
        "0" if draw < taken_share else str(2 + int((draw - taken_share) / (1 - taken_share) * 8)) for draw in draws
    )


def dishes(drawing: Drawing) -> Iterator[Values]:
    """Yield every dish; within a course of a restaurant, prices differ."""
    to_try = {fare.id for fare in drawing.shuffled(drawing.made["Fare"], "to try")[:_TO_TRY]}
    used_dishes: set[tuple[str, str, int]] = set()
    for fare in drawing.made["Fare"]:
        price = fare.price
        while (fare.eatery, fare.course, price) in used_dishes:
            price += 20
        used_dishes.add((fare.eatery, fare.course, price))
        yield {
            **{name: fare[name] for name in ("id", "name", "text", "course")},
            "restaurant": fare.eatery,
            "price": price,
            "vegan": int(fare.diet == "vegan"),
            "vegetarian": int(fare.diet in ("vegan", "vegetarian")),
            "gluten_free": int(drawing.unit("gluten", fare.id) < 0.5),
            "wanted": int(fare.id in to_try),
        }


def reviews(drawing: Drawing) -> Iterator[Values]:
    """Yield the reviews of each restaurant, the oldest first."""
    people = [*drawing.made["Person"][1:]]
    menus: dict[str, list[str]] = {}
    for fare in drawing.made["Fare"]:
        # The texts about dishes suit only savoury ones.
        if fare.course in ("starter", "main"):
            menus.setdefault(fare.eatery, []).append(fare.said)
    for place in drawing.made["Restaurant"]:
        key = ("review", place.id)
        count = 5 + int(drawing.unit(*key, "count") * 5)
        authors = drawing.shuffled(people, *key, "authors")[:count]
        used: set[str] = set()
        ages = sorted((2 + drawing.unit(*key, "ago", number) * 700 for number in range(count)), reverse=True)
        for number, (age, author) in enumerate(zip(ages, authors, strict=True)):
            rating = place.rating + (drawing.unit(*key, number, "stars") - 0.5) * 3
            stars = max(1, min(5, round(rating)))
            friend = next(
                person.first for person in people[number * 7 % len(people) :] + people if person.first != author.first
            )
            title, text = opinion(drawing, menus[place.id], friend, *key, number, stars=stars, used=used)
            yield {
                "id": f"{place.id}/{number + 1}",
                "restaurant": place.id,
                "author": f"{author.first} {author.last[0]}.",
                "rating": stars,
                "title": title,
                "text": text,
                "placed": moment(drawing.start - timedelta(minutes=int(age * 1440))),
                "helpful": int(drawing.unit(*key, number, "helpful") ** 3 * 48),
                "marked": 0,
            }


def bookings(drawing: Drawing) -> Iterator[Values]:
    """Yield past and current bookings, in the order in which they were made."""
    places = {place.id: place for place in drawing.made["Restaurant"]}
    known = [places[place.id] for place in acquaintances(drawing)]
    rows = [*_past_bookings(drawing, known), *_upcoming_bookings(drawing, known[len(_VISITS) :])]
    first = 2000 + int(drawing.unit("numbers") * 70) * 100
    for number, row in enumerate(rows):
        yield {"id": str(first + 7 * number), "occasion": "", "request": "", "reason": "", "seating": "seat_any", **row}


def _past_bookings(drawing: Drawing, known: Sequence[Entity]) -> list[Values]:
    stays = [(place, "status_visited") for place, times in zip(known, _VISITS, strict=False) for _ in range(times)]
    stays += [(known[number], "status_cancelled") for number in _CANCELLED]
    stays = drawing.shuffled(stays, "stays")
    ages = drawing.shuffled(range(6, 320, 4), "agos")[: len(stays)]
    rows = []
    for age, (place, status) in zip(sorted(ages, reverse=True), stays, strict=True):
        day = drawing.start - timedelta(days=age)
        # No visit on a weekday on which the restaurant is closed.
        if dates.WEEKDAYS[day.weekday()] == place.closed:
            day -= timedelta(days=1)
        time = drawing.pick(place.times.split(), "past", age)
        party = 2 + int(drawing.unit("past", age, "party") * 5)
        booked = day - timedelta(days=4, minutes=int(drawing.unit("past", age, "made") * 9000))
        row = {"restaurant": place.id, "day": day.date().isoformat(), "time": time, "party": party, "status": status}
        row["seating"] = drawing.pick(("seat_any", "seat_any", "seat_window", "seat_quiet"), "past", age, "seating")
        reason = {"reason": "reason_plans"} if status == "status_cancelled" else {}
        rows.append({**row, **reason, "made": moment(booked)})
    return rows


def _upcoming_bookings(drawing: Drawing, others: Sequence[Entity]) -> list[Values]:
    floors_ = {floor.id: floor for floor in drawing.made["Floor"]}
    # The first restaurant has two bookings, which are easily confused.
    places = [others[0], *others]
    days_ahead = drawing.shuffled(range(3, 30), "aheads")
    rows: list[Values] = []
    for number, party in enumerate(_UPCOMING):
        place = places[number]
        chosen = next(
            (day, times)
            for day in days_ahead
            if (times := seating.free(place, floors_[place.id], _day(drawing, day), party))
        )
        days_ahead.remove(chosen[0])
        row = {"restaurant": place.id, "day": _day(drawing, chosen[0]), "party": party, "status": "status_booked"}
        booked = drawing.start - timedelta(minutes=60 + 3000 * (len(_UPCOMING) - number))
        rows.append({**row, "time": drawing.pick(chosen[1], "upcoming", number), "made": moment(booked)})
    return rows


def _day(drawing: Drawing, day: int) -> str:
    return (drawing.start + timedelta(days=day)).date().isoformat()


def profiles(drawing: Drawing) -> Iterator[Values]:
    """Yield the profile of the world's own person."""
    me = drawing.made["Person"][0]
    diets = dict.fromkeys(DIETS, 0)
    diets[drawing.pick(("vegetarian", "lactose_free", "nut_free"), "diet")] = 1
    person = {"name": me.name, "phone": me.phone, "email": me.id, "kitchen": ""}
    yield {"id": "me", **person, **diets, "reminder": "remind_day", "news": 1}
