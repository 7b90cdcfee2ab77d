"""The reservation site finds restaurants by many filters at once, and books tables in steps that lose nothing."""

import re
from datetime import timedelta

import pytest

from stressweb.core.entity import Entity
from stressweb.sites.kit.wording import dates
from stressweb.sites.reservation import seating
from stressweb.walking.walker import Walker
from tests.support.crawling import send, site, visitor

SEEDS = pytest.mark.parametrize("seed", [0, 3])


def names(walker: Walker) -> list[str]:
    """Return the names of the restaurants in a list, in order."""
    shown_names: list[str] = walker.page.xpath(
        "//main//*[@itemtype='https://schema.org/Restaurant']//*[@itemprop='name']/text()"
    )
    return shown_names


def sent(walker: Walker, method: str) -> dict[str, str]:
    """Return the values of the main form with a method."""
    (form,) = walker.page.xpath(f"//main//form[@method='{method}']")
    return {name: value or "" for name, value in form.form_values()}


def free_table(seed: int, party: int) -> tuple[Entity, str, str, str]:
    """Return a restaurant, a day, a time that is free for a party, and a time that is not."""
    entities = site("reservation", seed).entities
    floors = {floor.id: floor for floor in entities["Floor"]}
    for place in entities["Restaurant"]:
        for day in seating.days(floors[place.id])[3:]:
            times = seating.free(place, floors[place.id], day, party)
            taken = [time for time in place.times.split() if time not in times]
            if times and taken:
                return place, day, times[0], taken[0]
    raise AssertionError("every table is free, or none is")


@SEEDS
def test_boxes_and_ranges_leave_what_fits(seed: int) -> None:
    walker, rows = visitor("reservation", seed), site("reservation", seed).entities["Restaurant"]
    first_cuisine, second_cuisine = sorted({row.cuisine for row in rows})[:2]
    query = f"/?cuisine-{first_cuisine}=1&cuisine-{second_cuisine}=1&price_from=20&price_to=50&with-terrace=1&sort=cheap&shown=99"
    walker.get(query)
    fits = [
        row
        for row in rows
        if row.cuisine in (first_cuisine, second_cuisine) and 2000 <= row.price <= 5000 and row.terrace
    ]
    assert names(walker) == [row.name for row in sorted(fits, key=lambda row: row.price)]
    walker.get(f"{query}&with-parking=1")
    assert set(names(walker)) == {row.name for row in fits if row.parking}
    everything = visitor("reservation", seed)
    everything.get("/?shown=99&price_from=cheap&cuisine-none=1&rating=9&sort=odd")
    assert len(names(everything)) == len(rows)


@SEEDS
def test_the_list_grows_until_it_shows_all(seed: int) -> None:
    walker, rows = visitor("reservation", seed), site("reservation", seed).entities["Restaurant"]
    counts = [len(names(walker))]
    while more := walker.page.xpath("//main//a[contains(@href, 'shown=')]/@href"):
        walker.get(f"/{more[0]}")
        counts.append(len(names(walker)))
    assert counts == [*range(12, len(rows), 12), len(rows)]
    assert names(walker) == [row.name for row in sorted(rows, key=lambda row: -row.popularity)]


@SEEDS
def test_a_booking_in_steps_keeps_what_was_said(seed: int) -> None:
    walker = visitor("reservation", seed)
    place, day, time, _ = free_table(seed, 4)
    query = f"party=4&day={day}&seating=seat_bar&occasion=&request={{no}} braces"
    walker.get(f"/r/{place.id}/book?step=1&{query}")
    assert time in walker.page.xpath("//main//button[@name='time']/@value")
    walker.get(f"/r/{place.id}/book?step=3&time={time}&{query}&previous=1")
    assert walker.page.xpath("//main//button[@name='time' and @aria-current]/@value") == [time]
    refilled = sent(walker, "get")
    assert {name: refilled[name] for name in ("party", "day", "seating", "request")} == {
        "party": "4", "day": day, "seating": "seat_bar", "request": "{no} braces",
    }  # fmt: skip
    walker.get(f"/r/{place.id}/book?step=3&time={time}&{query}")
    walker.post("/add-booking", sent(walker, "post"))
    (booking,) = walker.changes()["booking"].added
    assert (booking.restaurant, booking.day, booking.time, booking.party) == (place.id, day, time, 4)
    assert (booking.seating, booking.request, booking.status) == ("seat_bar", "{no} braces", "status_booked")


@SEEDS
def test_a_step_that_is_not_right_comes_up_again(seed: int) -> None:
    walker = visitor("reservation", seed)
    place, day, time, _ = free_table(seed, 4)
    for query, field in (
        (f"step=3&party=40&day={day}&time={time}", "party"),
        (f"step=3&party=4&day=tomorrow&time={time}", "day"),
        (f"step=2&party=4&day={day}", "time"),
    ):
        walker.get(f"/r/{place.id}/book?{query}")
        assert walker.page.xpath(f"//main//*[@aria-describedby='add_booking-{field}-error']"), query
    assert not walker.page.xpath("//main//form[@method='post']")


@SEEDS
def test_a_table_that_is_taken_and_a_second_one_at_the_same_time_are_refused(seed: int) -> None:
    walker, world = visitor("reservation", seed), site("reservation", seed)
    place, day, _, taken = free_table(seed, 4)
    walker.get(f"/r/{place.id}")
    token = sent(walker, "post")["csrf_token"]
    form = {"csrf_token": token, "restaurant": place.id, "party": "4", "seating": "seat_any", "back": "/"}
    walker.post("/add-booking", {**form, "day": day, "time": taken})
    assert world.labels["error_full"] in walker.html
    mine = next(booking for booking in world.entities["Booking"] if booking.status == "status_booked")
    floors = {floor.id: floor for floor in world.entities["Floor"]}
    other_restaurant = next(
        restaurant
        for restaurant in world.entities["Restaurant"]
        if restaurant.id != mine.restaurant
        and mine.time in seating.free(restaurant, floors[restaurant.id], mine.day, 2)
    )
    walker.post(
        "/add-booking", {**form, "restaurant": other_restaurant.id, "party": "2", "day": mine.day, "time": mine.time}
    )
    assert world.labels["error_twice"] in walker.html
    assert "booking" not in walker.changes()


@SEEDS
def test_the_calendar_leads_to_days_with_tables_alone(seed: int) -> None:
    walker, world = visitor("reservation", seed), site("reservation", seed)
    place = next(restaurant for restaurant in world.entities["Restaurant"] if restaurant.closed)
    floor = next(plan for plan in world.entities["Floor"] if plan.id == place.id)
    walker.get(f"/r/{place.id}")
    months = [
        f"/r/{place.id}",
        *(f"/r/{place.id}{href}" for href in walker.page.xpath("//a[contains(@href, '?month=')]/@href")),
    ]
    linked_days = set()
    for month in months:
        walker.get(month)
        linked_days |= {href.partition("day=")[2] for href in walker.page.xpath("//main//td/a/@href")}
    free_days = {day for day in seating.days(floor) if seating.free(place, floor, day, 2)}
    assert linked_days == {day for day in free_days if day[:7] in {linked_day[:7] for linked_day in linked_days}}
    assert len({day[:7] for day in linked_days}) == len(months)


@SEEDS
def test_a_review_needs_a_visit_and_is_written_once(seed: int) -> None:
    walker, world = visitor("reservation", seed), site("reservation", seed)
    visited = {booking.restaurant for booking in world.entities["Booking"] if booking.status == "status_visited"}
    review_form = {"stars": "4", "title": "Fine", "text": "Very fine."}
    for place, tries in ((next(restaurant.id for restaurant in world.entities["Restaurant"] if restaurant.id not in visited), 1),
                         (min(visited), 2)):  # fmt: skip
        for _ in range(tries):
            walker.get(f"/r/{place}/review")
            walker.post("/send-review", {**sent(walker, "post"), **review_form})
    assert world.labels["error_reviewed"] in walker.html
    assert [review.restaurant for review in walker.changes()["review"].added] == [min(visited)]


@SEEDS
def test_a_vote_counts_once(seed: int) -> None:
    walker, world = visitor("reservation", seed), site("reservation", seed)
    review = world.entities["Review"][0]
    walker.get(f"/r/{review.restaurant}/reviews")
    send(walker, "mark_helpful", review=review.id)
    send(walker, "mark_helpful", review=review.id)
    ((_, after),) = walker.changes()["review"].altered
    assert (after.marked, after.helpful) == (1, review.helpful + 1)
    send(walker, "unmark_helpful", review=review.id)
    assert "review" not in walker.changes()


@pytest.mark.parametrize("name", ["food", "reservation"])
@pytest.mark.parametrize("seed", range(4))
def test_what_a_restaurant_says_of_itself_names_its_own_street(name: str, seed: int) -> None:
    """A restaurant at 90 Cross Row is on Cross Row."""
    rows = site(name, seed).entities["Restaurant"]
    own_streets = [
        (street_name[1], restaurant.address)
        for restaurant in rows
        if (street_name := re.search(r" on ([A-Z]\w+ [A-Z]\w+)", restaurant.blurb))
    ]
    assert len(own_streets) >= 4
    assert [street for street, address in own_streets if street not in address] == []


@SEEDS
def test_restaurants_with_a_free_table_today_or_tomorrow(seed: int) -> None:
    walker, entities = visitor("reservation", seed), site("reservation", seed).entities
    floors = {floor.id: floor for floor in entities["Floor"]}
    today, tomorrow = (
        {
            place.name
            for place in entities["Restaurant"]
            if seating.free(place, floors[place.id], (walker.world.start + timedelta(days=ahead)).date().isoformat(), 2)
        }
        for ahead in (0, 1)
    )
    assert today != tomorrow
    for query, expected in (("free-today=1", today), ("free-tomorrow=1", tomorrow)):
        walker.get(f"/?shown=99&{query}")
        assert {*names(walker)} == expected
    walker.get("/?shown=99&free-today=1&free-tomorrow=1")
    assert {*names(walker)} == today | tomorrow


@SEEDS
def test_a_restaurant_shows_its_hours_for_each_day(seed: int) -> None:
    walker, rows = visitor("reservation", seed), site("reservation", seed).entities["Restaurant"]
    place = next(row for row in rows if row.closed and row.times < "15")
    walker.get(f"/r/{place.id}")
    days = walker.page.xpath("//*[@itemprop='dayOfWeek']/text()")
    hours = dict(zip(days, walker.page.xpath("//*[@itemprop='opens']/text()"), strict=True))
    assert [*hours] == [*dates.WEEKDAYS]
    assert hours.pop(place.closed) == walker.world.labels["closed_all_day"]
    lunch, dinner = ([time for time in place.times.split() if (time < "16:00") == early] for early in (True, False))
    opening = f"{lunch[0]}-{seating.closing(lunch[-1])}, {dinner[0]}-{seating.closing(dinner[-1])}"
    assert {*hours.values()} == {opening}


def test_the_last_guests_have_time_for_their_meal() -> None:
    assert seating.closing("21:30") == "23:00"
    assert seating.closing("13:45") == "15:15"


SLOTS = "//a[contains(@href, '/book?step=2')]"


def found(walker: Walker) -> dict[str, list[str]]:
    """Return the times that a search for tables offers, by the name of the restaurant."""
    cards = walker.page.xpath("//main//article[@itemtype='https://schema.org/Restaurant']")
    return {
        card.xpath(".//*[@itemprop='name']/text()")[0]: [link.text for link in card.xpath(f".{SLOTS}")]
        for card in cards
    }


@SEEDS
def test_a_search_for_tables_finds_each_restaurant_with_a_table_within_an_hour(seed: int) -> None:
    walker, entities = visitor("reservation", seed), site("reservation", seed).entities
    floors = {floor.id: floor for floor in entities["Floor"]}
    _, day, _, _ = free_table(seed, 6)
    walker.get(f"/tables?party=6&day={day}&time=20:00")
    close = {
        place.name: [
            time for time in seating.free(place, floors[place.id], day, 6) if abs(dates.minutes(time) - 1200) <= 60
        ]
        for place in entities["Restaurant"]
    }
    offered = found(walker)
    assert set(offered) == {name for name, times in close.items() if times}
    assert 0 < len(offered) < len(entities["Restaurant"])
    assert all(times == close[name] if len(close[name]) <= 3 else set(times) < set(close[name])
               for name, times in offered.items())  # fmt: skip
    popularity = {place.name: place.popularity for place in entities["Restaurant"]}
    assert [*offered] == sorted(offered, key=lambda name: -popularity[name])
    cuisine = next(place.cuisine_name for place in entities["Restaurant"] if place.name in offered)
    walker.get(f"/tables?party=6&day={day}&time=20:00&words={cuisine.lower()}")
    of_cuisine = {place.name for place in entities["Restaurant"] if place.cuisine_name == cuisine}
    assert set(offered) & of_cuisine <= set(found(walker)) < set(offered)
    assert sent(walker, "get")["words"] == cuisine.lower()


@SEEDS
def test_a_time_that_was_found_leads_to_its_booking(seed: int) -> None:
    walker = visitor("reservation", seed)
    _, day, time, _ = free_table(seed, 4)
    walker.get("/")
    (form,) = walker.page.xpath("//main//form[@action='/tables']")
    assert {"party", "day", "time", "words"} <= {name for name, _ in form.form_values()}
    walker.get(f"/tables?party=4&day={day}&time={time}")
    link = walker.page.xpath(f"{SLOTS}[text()='{time}']/@href")[0]
    walker.get(link)
    details = sent(walker, "get")
    assert {name: details[name] for name in ("party", "day", "time")} == {"party": "4", "day": day, "time": time}
    assert "seating" in details


@SEEDS
def test_a_search_for_tables_begins_with_usual_values(seed: int) -> None:
    walker = visitor("reservation", seed)
    tomorrow = (walker.world.start + timedelta(days=1)).date().isoformat()
    for query in ("", "?party=40&day=today&time=late", "?party=&day=2020-13-01&time=25:00"):
        walker.get(f"/tables{query}")
        assert sent(walker, "get").items() >= {"party": "2", "day": tomorrow, "time": "19:00", "words": ""}.items(), (
            query
        )
    walker.get("/tables?day=2020-01-01")
    assert walker.world.labels["empty_tables"] in walker.html
    assert found(walker) == {}


@pytest.mark.parametrize(
    ("time", "nearest"),
    [
        ("19:00", ["18:30", "19:00", "19:45"]),
        ("17:30", ["17:30", "18:00", "18:30"]),
        ("21:00", ["20:15"]),
        ("12:00", []),
    ],
)
def test_the_nearest_times_are_at_most_an_hour_away_and_in_order(time: str, nearest: list[str]) -> None:
    assert seating.near(time, ["17:30", "18:00", "18:30", "19:00", "19:45", "20:15"]) == nearest
