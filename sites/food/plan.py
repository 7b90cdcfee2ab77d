"""Generates the data of a world: restaurants, menus, reviews, codes, and past orders."""

from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from stressweb.core.entity import Entity
from stressweb.core.yaml_models import load
from stressweb.sites.kit import Drawing, moment
from stressweb.sites.kit.mixins.people.logic import cast, strangers
from stressweb.sites.kit.mixins.restaurants.logic import opinion, toppings
from stressweb.sites.kit.mixins.restaurants.motifs import BY_CUISINE, DISHES, dish_motif, pictured
from stressweb.sites.kit.wording import dates
from stressweb.sites.kit.wording.capitals import capitalized
from stressweb.sites.kit.wording.labels import spun

_FEES = (0, 0, 99, 149, 199, 249, 299, 349)
_EXTRAS = 6
"""Number of extras that a restaurant offers with starters and mains."""
_WITH_EXTRAS = ("starter", "main")
_ORDERS = 11
"""Number of past orders."""
_TWICE = 3
"""Number of restaurants with two past orders."""
_SLOTS = range(24, 44)
"""Half hours of a day, from midnight, for scheduled deliveries."""
_TIPS = (0, 0, 100, 200, 300)
# A world begins at 9:00, and the last half hour for deliveries begins at 21:30.
_OPENING = ("7:30", "8:00", "8:30")
_CLOSING = ("22:00", "22:30", "23:00")
_DAYS_OFF = (None, None, None, 2, 3, 4, 5, 6)
"""Days from today to the day off of a restaurant that is open today; not tomorrow, because goals order for it."""
_PLACES = 3
"""Number of addresses in addition to home."""

_SIDE_BY_SIDE = 4
"""Number of restaurants in a row with different pictures."""

_SHOWN = 3
"""Number of dishes at the top of the first page."""
_BEST_KNOWN = ("pizza", "sushi", "burger", "curry", "taco", "noodles", "dumplings")
"""Motifs of dishes that people everywhere know, best first. Every world has at least three of their cuisines."""

type Values = dict[str, Any]


@cache
def corpus() -> Any:
    """Return the corpus of the site."""
    return load(Path(__file__).parent / "corpora" / "kitchen.yaml")


def cuisines(drawing: Drawing) -> Iterator[Values]:
    """Yield the cuisines of this world's restaurants."""
    names = {place.cuisine: place.cuisine_name for place in drawing.made["Eatery"]}
    for key, name in names.items():
        yield {"id": key, "name": name, "picture": f"/pictures/{BY_CUISINE[key]}/{key}.svg"}


def restaurants(drawing: Drawing) -> Iterator[Values]:
    """Yield the restaurants; their delivery times and popularities are all different."""
    places = drawing.made["Eatery"]
    minutes = drawing.shuffled(range(14, 14 + len(places) + 12), "minutes")
    popular = drawing.shuffled(range(1, 1 + len(places)), "popularity")
    distances = drawing.shuffled(range(4, 4 + 2 * len(places)), "distance")
    menus: dict[str, list[str]] = {}
    diets: dict[str, list[str]] = {}
    for dish in drawing.made["Fare"]:
        menus.setdefault(dish.eatery, []).append(dish.name)
        # Only main courses count for a diet.
        diets.setdefault(dish.eatery, []).extend([dish.diet] if dish.course == "main" else ())
    is_open = {place.id: int(drawing.unit("restaurant", place.id, "open") < 0.86) for place in places}
    # The first page shows the most popular that are open, side by side.
    ranks = {place.id: (-is_open[place.id], popular[number]) for number, place in enumerate(places)}
    motifs = pictured(drawing, DISHES, sorted(places, key=lambda place: ranks[place.id]), apart=_SIDE_BY_SIDE)
    for number, place in enumerate(places):
        key = ("restaurant", place.id)
        yield {
            **{name: place[name] for name in ("id", "name", "cuisine", "cuisine_name", "area", "address", "blurb")},
            "level": f"level_{place.level}",
            "rating": round(2.9 + (1 - drawing.unit(*key, "rating") ** 1.6) * 2.1, 1),
            "ratings": 11 + int(drawing.unit(*key, "ratings") ** 2 * 2400),
            "minutes": minutes[number],
            "distance": distances[number] / 10,
            "fee": drawing.pick(_FEES, *key, "fee"),
            "minimum": 500 + 50 * int(drawing.unit(*key, "minimum") * 30),
            "popularity": popular[number],
            "open": is_open[place.id],
            "hours": _hours(drawing, drawing.pick(_DAYS_OFF, *key, "day off") if is_open[place.id] else 0, *key),
            "favourite": int(drawing.unit(*key, "favourite") < 0.12),
            "picture": f"/pictures/{motifs[place.id]}/{place.id}.svg",
            "dishes": " ".join(menus[place.id]),
            # At least two main courses to choose from.
            "vegetarian": int(len([diet for diet in diets[place.id] if diet]) > 1),
            "vegan": int("vegan" in diets[place.id]),
        }


def _hours(drawing: Drawing, day_off: int | None, *key: Any) -> str:
    """Return the opening hours of a restaurant; `day_off` is in days from today."""
    daily = f"{drawing.pick(_OPENING, *key, 'opening')} to {drawing.pick(_CLOSING, *key, 'closing')}"
    if day_off is None:
        return f"Daily from {daily}"
    weekday = dates.WEEKDAYS[(drawing.start + timedelta(days=day_off)).weekday()]
    return f"{daily}, closed on {weekday}s"


def dishes(drawing: Drawing) -> Iterator[Values]:
    """Yield the dishes of every menu."""
    for fare in drawing.made["Fare"]:
        family = fare.kind if fare.kind in corpus()["sizes"] else fare.course
        motif = dish_motif(fare.said, fare.course, *drawing.key, "motif", fare.id)
        yield {
            "id": fare.id.replace("/", "-"),
            "restaurant": fare.eatery,
            **{name: fare[name] for name in ("name", "text", "price", "said")},
            "course": f"course_{fare.course}",
            "diet": f"diet_{fare.diet}" if fare.diet else "",
            "sizes": family,
            "extras": f"{fare.eatery}/extras" if fare.course in _WITH_EXTRAS else "",
            "picture": f"/pictures/{motif}/{fare.id.replace('/', '-')}.svg",
        }


def highlights(drawing: Drawing) -> Iterator[Values]:
    """Yield the dishes at the top of the first page: of the best known motifs."""
    by_motif = {_motif(dish): dish for dish in drawing.made["Dish"]}
    known = [motif for motif in _BEST_KNOWN if motif in by_motif][:_SHOWN]
    # Below the last dish is the first cuisine, so its motif must be another.
    first_cuisine = _motif(drawing.made["Cuisine"][0])
    for motif in sorted(known, key=lambda motif: motif != first_cuisine):
        yield {name: by_motif[motif][name] for name in ("id", "picture")}


def _motif(row: Entity) -> str:
    """Return the motif of a row's picture, which is the second part of its address."""
    return str(row.picture.split("/")[2])


def sizes(drawing: Drawing) -> Iterator[Values]:
    """Yield the sizes of dishes by kind of dish, the smallest first."""
    for family in dict.fromkeys(dish.sizes for dish in drawing.made["Dish"]):
        for number, (name, more) in enumerate(corpus()["sizes"][family]):
            size_name = spun(name, drawing.unit("size", family, number))
            # The surcharge varies between worlds, in multiples of ten hundredths.
            more = round(more * (0.8 + 0.5 * drawing.unit("more", family)) / 10) * 10  # noqa: PLW2901
            offer = f"{size_name} (+{drawing.look.money(more)})" if more else size_name
            yield {"id": f"{family}/{number}", "family": family, "name": size_name, "more": more, "offer": offer}


def extras(drawing: Drawing) -> Iterator[Values]:
    """Yield the extras of restaurants, with their prices."""
    for place in drawing.made["Restaurant"]:
        for number, name in enumerate(drawing.shuffled(toppings(place.cuisine), "extras", place.id)[:_EXTRAS]):
            price = 40 + 5 * int(drawing.unit("extra", place.id, number) * 42)
            extra_name, family = capitalized(name), f"{place.id}/extras"
            offer = f"{extra_name} (+{drawing.look.money(price)})"
            extra = {"name": extra_name, "price": price, "offer": offer, "position": number}
            yield {"id": f"{family}/{number}", "family": family, **extra}


def reviews(drawing: Drawing) -> Iterator[Values]:
    """Yield the reviews of restaurants."""
    people = cast(drawing)
    for place in drawing.made["Restaurant"]:
        mains = [
            dish.said for dish in drawing.made["Dish"] if dish.restaurant == place.id and dish.course == "course_main"
        ]
        authors = drawing.shuffled(people[1:], "authors", place.id)
        days = drawing.shuffled(range(3, 240), "reviewed", place.id)
        used: set[str] = set()
        for number in range(3 + int(drawing.unit("reviews", place.id) * 4)):
            key = ("review", place.id, number)
            stars = max(1, min(5, round(place.rating - 1.2 + 2.4 * drawing.unit(*key, "stars"))))
            names = [author["first"] for author in authors[:6] if author["first"] != authors[number]["first"]]
            about = drawing.shuffled(mains, *key)
            friend = drawing.pick(names, *key, "who")
            title, text = opinion(drawing, about, friend, *key, stars=stars, setting="door", used=used)
            placed = drawing.start - timedelta(days=days[number], minutes=int(drawing.unit(*key, "at") * 600))
            author = f"{authors[number]['first']} {authors[number]['last'][0]}."
            review = {"rating": stars, "title": title, "text": text, "placed": moment(placed)}
            helpful = int(drawing.unit(*key, "helpful") * 30)
            yield {"id": f"{place.id}/{number}", "restaurant": place.id, "author": author, **review, "helpful": helpful}


def slots(drawing: Drawing) -> Iterator[Values]:
    """Yield the half hours of today and tomorrow for scheduled deliveries."""
    for days_ahead, day_name in enumerate(("Today", "Tomorrow")):
        day = (drawing.start + timedelta(days=days_ahead)).date().isoformat()
        for half_hours in _SLOTS:
            time = f"{half_hours // 2:02d}:{half_hours % 2 * 30:02d}"
            yield {"id": f"{day} {time}", "day": day_name, "time": time, "name": f"{day_name}, {time}"}


def promos(drawing: Drawing) -> Iterator[Values]:
    """Yield the codes of the world; some have expired, and two are valid for one cuisine only."""
    money, words = drawing.look.money, drawing.shuffled(corpus()["code_words"], "codes")
    kitchens = drawing.shuffled([cuisine.id for cuisine in drawing.made["Cuisine"]], "code", "cuisine")
    names = {cuisine.id: cuisine.name for cuisine in drawing.made["Cuisine"]}
    for number, kind in enumerate(("percent", "amount", "percent", "amount", "fee", "percent", "amount", "percent")):
        key = ("promo", number)
        value = {
            "percent": drawing.shuffled(corpus()["percents"], "percents")[number // 2],
            "amount": drawing.shuffled(corpus()["amounts"], "amounts")[number // 2],
            "fee": 0,
        }[kind]
        minimum = drawing.pick(corpus()["minimums"], *key, "minimum")
        only = kitchens[number] if number in (2, 3) else ""
        # Some expired a few days ago, the others are valid for days or weeks.
        days_ahead = (
            -1 - int(drawing.unit(*key, "until") * 9) if number in (5, 6) else 2 + int(drawing.unit(*key, "until") * 40)
        )
        discount = {"percent": f"{value}%", "amount": money(value), "fee": ""}[kind]
        yield {
            "id": f"{words[number]}{value // 100 or number if kind == 'amount' else value or 'GO'}",
            "kind": f"promo_{kind}",
            "value": value,
            "shown": discount,
            "minimum": minimum,
            "only": only,
            "only_name": names.get(only, ""),
            "until": (drawing.start + timedelta(days=days_ahead)).date().isoformat(),
        }


def customers(drawing: Drawing) -> Iterator[Values]:
    """Yield the customer: the first person of the world."""
    me = cast(drawing)[0]
    yield {**{name: me[name] for name in ("name", "phone")}, "id": "me", "email": me["id"]}


def addresses(drawing: Drawing) -> Iterator[Values]:
    """Yield the customer's addresses; the first is the default."""
    me, others = cast(drawing)[0], strangers(drawing)[-_PLACES:]
    homes = [(person["street"], person["postcode"], person["city"]) for person in (me, *others)]
    for number, label in enumerate(["Home", *drawing.shuffled(corpus()["places"], "places")[:_PLACES]]):
        key = ("instructions", number)
        named = {"name": me["last"], "number": 10 + int(drawing.unit(*key, "number") * 880)}
        instructions = spun(
            drawing.pick(corpus()["instructions"], *key), drawing.unit(*key, "alternatives")
        ).format_map(named)
        street, postcode, city = homes[number]
        home = {"label": label, "recipient": me["name"], "street": street, "postcode": postcode, "city": city}
        yield {
            "id": f"me/{label}",
            "owner": "me",
            **home,
            "phone": me["phone"],
            "instructions": instructions,
            "is_default": int(not number),
        }


def orders(drawing: Drawing) -> Iterator[Values]:
    """Yield the past orders, the oldest first; the last is in preparation."""
    # One restaurant is closed today; those with two orders are open.
    chosen = sorted(drawing.shuffled(drawing.made["Restaurant"], "ordered"), key=lambda place: -place.open)
    places = drawing.shuffled([*chosen[: _ORDERS - _TWICE - 1], chosen[-1], *chosen[:_TWICE]], "orders")
    # The last order was placed a moment ago; all orders are on different days.
    ages = sorted(drawing.shuffled(range(2, 170), "ago")[: _ORDERS - 1], reverse=True)
    for number, place in enumerate(places):
        key = ("order", number)
        last = number == _ORDERS - 1
        before = timedelta(minutes=4) if last else timedelta(days=ages[number], minutes=-int(drawing.unit(*key) * 700))
        lines = list(_lines(drawing, place, f"100{number:02d}", *key))
        goods = sum(line["price"] * line["quantity"] for line in lines)
        tip = drawing.pick(_TIPS, *key, "tip")
        cancelled = not last and drawing.unit(*key, "cancelled") < 0.14
        home = drawing.made["Address"][drawing.pick((0, 0, 0, 1), *key, "address")]
        yield {
            "id": f"100{number:02d}",
            "owner": "me",
            "restaurant": place.id,
            "placed": moment(drawing.start - before),
            "status": "status_preparing" if last else "status_cancelled" if cancelled else "status_delivered",
            **{name: home[name] for name in ("recipient", "street", "postcode", "city", "phone", "instructions")},
            "slot": "",
            "remarks": "",
            "cutlery": int(drawing.unit(*key, "cutlery") < 0.3),
            "payment": drawing.pick(("payment_card", "payment_cash", "payment_wallet"), *key, "payment"),
            "promo": "",
            "subtotal": goods,
            "discount": 0,
            "fee": place.fee,
            "tip": tip,
            "total": goods + place.fee + tip,
            "reason": "reason_late" if cancelled else "",
            "lines": lines,
        }


def _lines(drawing: Drawing, place: Entity, order: str, *key: Any) -> Iterator[Values]:
    menu = [dish for dish in drawing.made["Dish"] if dish.restaurant == place.id]
    wanted, goods = 1 + int(drawing.unit(*key, "lines") * 3), 0
    for number, dish in enumerate(drawing.shuffled(menu, *key, "dishes")):
        if number >= wanted and goods >= place.minimum:
            return
        about = (*key, number)
        size = drawing.pick([size for size in drawing.made["Size"] if size.family == dish.sizes], *about, "size")
        chosen = [
            extra
            for extra in drawing.made["Extra"]
            if extra.family == dish.extras and drawing.unit(*about, "extra", extra.id) < 0.2
        ]
        price = dish.price + size.more + sum(extra.price for extra in chosen)
        quantity = drawing.pick((1, 1, 1, 2, 2, 3), *about, "quantity")
        goods += price * quantity
        yield {
            "id": f"{order}/{number}",
            "order": order,
            "owner": "me",
            "dish": dish.id,
            "name": dish.name,
            "size": size.name,
            "extras": ", ".join(extra.name for extra in chosen),
            "note": "",
            "quantity": quantity,
            "price": price,
        }


def order_lines(drawing: Drawing) -> Iterator[Values]:
    """Yield the lines of all orders."""
    for order in drawing.made["Order"]:
        yield from order.lines
