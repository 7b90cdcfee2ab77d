"""Generates a world's rides: places in the town, kinds of cars, drivers, past and planned rides."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.yaml_models import load
from stressweb.sites.kit import Drawing, moment, slug
from stressweb.sites.kit.data.town import Cell, Town, town
from stressweb.sites.kit.wording import dates
from stressweb.sites.kit.wording.labels import spun
from stressweb.sites.ride.fares import fare, trip

_DRIVERS = 16
_PAST = (54, 66)
"""Minimum and maximum number of past rides."""
_AGES = (2, 190)
"""Minimum and maximum age of a past ride in days."""
_UNPAID = (6, 13, 21)
"""Positions of the unpaid rides among those not cancelled, counted from the newest."""
_CANCELLED, _RATED, _SURCHARGED = 0.1, 0.5, 0.4
_AHEAD = (2, 3, 5, 6, 9, 13, 16, 20, 24)
"""Days until planned rides; on one of them there are two."""
_FROM_HOME, _TO_HOME, _FREE = (1, 4, 7), (2, 6), (0, 3, 5)
"""Indexes of planned rides that start at home, that end there, and whose day may have a second one."""
_FAVOURITES = 5
"""Number of places, besides home and work, to which most rides lead."""
_WAITS = range(2, 19)
"""Minutes until a car is at a place."""
_RELATIONS = ("relation_family", "relation_friend", "relation_colleague", "relation_neighbour")

type Values = dict[str, Any]


@cache
def corpus(name: str) -> Any:
    """Return a corpus of the site."""
    return load(Path(__file__).parent / "corpora" / f"{name}.yaml")


def short_moment(style: str, moment: datetime) -> str:
    """Return a moment as text: its day in a date style, without weekday and year, and its time."""
    return f"{dates.brief(style, moment)}, {moment:%H:%M}"


def town_of(drawing: Drawing) -> Town:
    """Return the town of the world."""
    return town(drawing.key[-1])


def places(drawing: Drawing) -> Iterator[Values]:
    """Yield places of every kind and a few addresses, each at a different corner."""
    town_map, words = town_of(drawing), corpus("places")
    corners = drawing.shuffled(sorted(town_map.corners), "corners")
    for group in words["kinds"]:
        nouns = drawing.shuffled(group["nouns"], group["kind"])[: group["many"]]
        firsts = drawing.shuffled(group.get("words", ()), group["kind"], "words")
        for index, noun in enumerate(nouns):
            cell = corners.pop()
            # Places of one part of the town share its name, so only the whole name identifies a place.
            first = firsts[index] if firsts else town_map.corners[cell].district
            yield _place(town_map, cell, f"{first} {noun}", group["kind"])
    for corner in corners[: words["addresses"]]:
        yield _place(town_map, corner, town_map.corners[corner].address, "kind_address")


def _place(town_map: Town, cell: Cell, name: str, kind: str) -> Values:
    corner = town_map.corners[cell]
    location = {"street": corner.address, "district": corner.district, "cell": f"{cell[0]},{cell[1]}"}
    return {"id": slug(name), "name": name, "kind": kind, **location}


def tiers(drawing: Drawing) -> Iterator[Values]:
    """Yield the kinds of cars with their prices."""
    for number, tier_words in enumerate(corpus("cars")["tiers"]):
        name = drawing.pick(tier_words["names"], "tier", number)
        costs = {}
        for part in ("base", "per_km", "per_minute"):
            low, high = tier_words[part]
            costs[part] = low + int(drawing.unit("tier", number, part) * (high - low + 1))
        blurb = spun(drawing.pick(tier_words["blurb"], "blurb", number), drawing.unit("blurb", number))
        fixed = {column: tier_words[column] for column in ("seats", "electric", "luggage", "cars")}
        yield {"id": slug(name), "name": name, "blurb": blurb, **fixed, **costs}


def waits(drawing: Drawing) -> Iterator[Values]:
    """Yield the waiting time for each kind of car at each place; no two kinds have the same."""
    for place in drawing.made["Place"]:
        minutes = drawing.shuffled(_WAITS, "waits", place.id)
        for tier, wait in zip(drawing.made["Tier"], minutes, strict=False):
            yield {"id": f"{place.id}/{tier.id}", "minutes": wait}


def drivers(drawing: Drawing) -> Iterator[Values]:
    """Yield drivers with their cars, some for each kind."""
    people = drawing.shuffled(drawing.made["Person"][1:], "drivers")
    all_tiers = drawing.made["Tier"]
    for number, person in enumerate(people[:_DRIVERS]):
        tier, key = all_tiers[number % len(all_tiers)], ("driver", number)
        letters = "".join(drawing.pick("ABCDEFGHJKLMNPRSTUVWXY", *key, place) for place in range(4))
        plate = f"{letters[:2]} {100 + int(drawing.unit(*key, 'plate') * 900)} {letters[2:]}"
        car = f"{drawing.pick(corpus('cars')['colours'], *key)} {drawing.pick(tier.cars, *key, 'car')}"
        stars = f"{4.4 + int(drawing.unit(*key, 'stars') * 6) / 10:.1f}"
        yield {"id": slug(person.name), "name": person.name, "phone": person.phone, "tier": tier.id, "car": car,
            "plate": plate, "stars": stars}  # fmt: skip


def addresses(drawing: Drawing) -> list[Entity]:
    """Return the places that are addresses; the world's first person lives at the first."""
    return [place for place in drawing.made["Place"] if place.kind == "kind_address"]


def saved_places(drawing: Drawing) -> Iterator[Values]:
    """Yield the saved places: home, work and two more."""
    home, *others = addresses(drawing)
    office = drawing.pick([place for place in drawing.made["Place"] if place.kind == "kind_office"], "office")
    venue = drawing.pick([place for place in drawing.made["Place"] if place.kind == "kind_sports"], "venue")
    names = drawing.shuffled(("Training", "Sports club", "Weekend sports", "Thursday training"), "venue")
    friend = drawing.shuffled(drawing.made["Person"][1:], "friend")[0].first
    saved = ("Home", home), ("Work", office), (names[0], venue), (f"{friend}'s place", others[0])
    for name, place in saved:
        yield {"id": slug(name), "name": name, "place": place.id}


def contacts(drawing: Drawing) -> Iterator[Values]:
    """Yield trusted contacts, two of them colleagues; some follow every ride."""
    people = drawing.shuffled(drawing.made["Person"][1:], "contacts")[:6]
    relations = [*_RELATIONS, "relation_colleague", "relation_friend"]
    for person, relation in zip(people, drawing.shuffled(relations, "relations"), strict=True):
        # Colleagues follow every ride, so that a goal can switch this off.
        follows = int(relation == "relation_colleague" or drawing.unit("follows", person.id) < 0.4)
        yield {"id": slug(person.name), "name": person.name, "phone": person.phone, "relation": relation,
            "follows": follows}  # fmt: skip


def cards(drawing: Drawing) -> Iterator[Values]:
    """Yield the payment methods: three cards and cash; the first is the default."""
    for number, card in enumerate(drawing.shuffled(corpus("cars")["cards"], "cards")[:3]):
        digits = 1000 + int(drawing.unit("card", number) * 9000)
        expiry = f"{1 + int(drawing.unit('card', number, 'month') * 12):02d}/{drawing.start.year % 100 + 1 + number}"
        name = f"{card['brand']} {digits}"
        yield {"id": slug(name), "name": name, "until": expiry, "usual": int(number == 0)}
    yield {"id": "cash", "name": "Cash", "until": "", "usual": 0}


def rides(drawing: Drawing) -> list[Values]:
    """Return every ride, oldest first, with rising numbers."""
    return _Rides(drawing).all()


class _Rides:
    def __init__(self, drawing: Drawing) -> None:
        self.drawing, self.map = drawing, town_of(drawing)
        self.places: Sequence[Entity] = drawing.made["Place"]
        self.tiers: Sequence[Entity] = drawing.made["Tier"]
        saved = {row.name: row.place for row in drawing.made["Saved"]}
        self.home, self.work = (
            next(place for place in self.places if place.id == saved[name]) for name in ("Home", "Work")
        )
        destinations = [
            place for place in self.places if place not in (self.home, self.work) and place.kind != "kind_address"
        ]
        self.often = drawing.shuffled(destinations, "often")[:_FAVOURITES]

    def all(self) -> list[Values]:
        low, high = _AGES
        many = _PAST[0] + int(self.drawing.unit("past") * (_PAST[1] - _PAST[0] + 1))
        ages = sorted((low + self.drawing.unit("age", index) * (high - low) for index in range(many)), reverse=True)
        past_rides = [self._past_ride(index, age) for index, age in enumerate(ages)]
        done_rides = [ride for ride in past_rides if ride["state"] == "state_done"]
        for position in _UNPAID:
            done_rides[-position] |= {"paid": 0, "tip": ""}
        all_days_ahead = [*_AHEAD, self.drawing.pick([_AHEAD[index] for index in _FREE], "twice")]
        planned = [self._planned_ride(index, days_ahead) for index, days_ahead in enumerate(all_days_ahead)]
        number = 40_000 + int(self.drawing.unit("number") * 50_000)
        for row in (*past_rides, *sorted(planned, key=lambda ride: str(ride["booked"]))):
            number += 3 + int(self.drawing.unit("numbers", number) * 90)
            row["id"] = str(number)
        return [*past_rides, *sorted(planned, key=lambda ride: str(ride["at"]))]

    def _past_ride(self, index: int, age: float) -> Values:
        key = ("past", index)
        day = self.drawing.start.date() - timedelta(days=int(age))
        minute = 5 * int(6.5 * 12 + self.drawing.unit(*key, "minute") * 16 * 12)
        start_time = datetime.combine(day, datetime.min.time()) + timedelta(minutes=minute)
        cancelled = self.drawing.unit(*key, "cancelled") < _CANCELLED
        start, end = self._ends(*key)
        row = self._row(start, end, self._tier(*key), *key)
        extra = 5 * (4 + int(self.drawing.unit(*key, "extra") * 50))
        if cancelled or self.drawing.unit(*key, "surcharged") >= _SURCHARGED:
            extra = 0
        tip = "" if cancelled else self.drawing.pick(("tip_0", "tip_0", "tip_5", "tip_10", "tip_10", "tip_15"), *key)
        reason = self.drawing.pick(("reason_plans", "reason_wait", "reason_mistake"), *key) if cancelled else ""
        outcome = {"boarded": int(not cancelled), "paid": int(not cancelled), "tip": tip, "reason": reason}
        return {**row, **outcome, "state": "state_cancelled" if cancelled else "state_done", "day": "", "time": "",
            "price": row["price"] + extra, "extra": extra,
            **self._time_columns(start_time, start_time - timedelta(minutes=4))}  # fmt: skip

    def _planned_ride(self, index: int, days_ahead: int) -> Values:
        key = ("planned", index)
        start, end = self._ends(*key, homely=False)
        if index in _FROM_HOME:
            start = self.home
        elif index in _TO_HOME:
            end = self.home
        if start == end:
            end = next(place for place in self.often if place != start)
        half_hours = 8 * 2 + int(self.drawing.unit(*key, "half") * 12) + (index == len(_AHEAD)) * 13
        start_time = datetime.combine(self.drawing.start.date(), datetime.min.time())
        start_time += timedelta(days=days_ahead, minutes=30 * half_hours)
        booked = self.drawing.start - timedelta(days=1 + int(self.drawing.unit(*key, "booked") * 20), minutes=7 * index)
        planned = {"day": start_time.date().isoformat(), "time": f"{start_time:%H:%M}"}
        return {**self._row(start, end, self._tier(*key), *key), **planned, **self._time_columns(start_time, booked),
            "state": "state_open", "boarded": 0, "paid": 0, "tip": "", "extra": 0, "reason": ""}  # fmt: skip

    def _time_columns(self, start_time: datetime, booked: datetime) -> Values:
        return {
            "at": moment(start_time),
            "said": short_moment(self.drawing.look.dates, start_time),
            "booked": moment(booked),
        }

    def _ends(self, *key: Any, homely: bool = True) -> tuple[Entity, Entity]:
        """Return start and end of a ride: mostly favourites, often home."""
        often = [*self.often, *([self.home, self.home, self.work] if homely else [])]
        start = self.drawing.pick([*often, *self.places[:4]] if homely else self.often, *key, "start")
        ends = [place for place in ([*often, self.drawing.pick(self.places, *key, "any")]) if place != start]
        return start, self.drawing.pick(ends, *key, "end")

    def _tier(self, *key: Any) -> Entity:
        usual = (self.tiers[index] for index in (0, 0, 3, 4))
        return self.drawing.pick([*self.tiers, *usual], *key, "tier")

    def _row(self, start: Entity, end: Entity, tier: Entity, *key: Any) -> Values:
        price = fare(tier, trip(self.map, start, end))
        people = 1 + int(self.drawing.unit(*key, "people") ** 2 * min(3, tier.seats))
        card = self.drawing.pick([row.id for row in self.drawing.made["Card"]], *key, "card")
        drivers = [row.id for row in self.drawing.made["Driver"] if row.tier == tier.id]
        return {"origin": start.id, "target": end.id, "tier": tier.id, "passengers": people, "note": "", "card": card,
            "price": price, "driver": self.drawing.pick(drivers, *key, "driver")}  # fmt: skip


def ratings(drawing: Drawing) -> Iterator[Values]:
    """Yield ratings of about half of the past rides."""
    for ride in drawing.made["Ride"]:
        if ride.state == "state_done" and drawing.unit("rated", ride.id) < _RATED:
            stars = drawing.pick(("stars_3", "stars_4", "stars_4", "stars_5", "stars_5", "stars_5"), "stars", ride.id)
            praise = drawing.pick(("praise_none", "praise_talk", "praise_clean", "praise_careful"), "praise", ride.id)
            yield {"id": ride.id, "ride": ride.id, "stars": stars, "praise": praise, "comment": ""}


def articles(drawing: Drawing) -> Iterator[Values]:
    """Yield the articles of the help pages in this world's words."""
    texts: Mapping[str, Any] = corpus("help")["articles"]
    for group in corpus("help")["topics"]:
        for name in group["articles"]:
            article = texts[name]

            def worded(text: str, *key: Any) -> str:
                return spun(text, drawing.unit("article", *key))

            title = worded(drawing.pick(article["titles"], "article", name), name)
            body = " ".join(worded(text, name, index) for index, text in enumerate(article["body"]))
            yield {"id": slug(title), "title": title, "topic": group["topic"], "body": body,
                "question": article["question"]}  # fmt: skip
