"""The reservation site finds restaurants by many filters at once, and books tables in steps that lose nothing."""

import re

import pytest

from sites.reservation import seating
from stressweb.core.entity import Entity
from stressweb.walking.walker import Walker
from tests.sites.crawling import site, visitor

SEEDS = pytest.mark.parametrize("seed", [0, 3])


def names(at: Walker) -> list[str]:
    """Return the restaurants that a list shows, in its order."""
    found: list[str] = at.page.xpath("//main//*[@itemtype='https://schema.org/Restaurant']//*[@itemprop='name']/text()")
    return found


def sent(at: Walker, method: str) -> dict[str, str]:
    """Return what the form in the main part that is sent by a method holds."""
    (form,) = at.page.xpath(f"//main//form[@method='{method}']")
    return {name: value or "" for name, value in form.form_values()}


def free_table(seed: int, party: int) -> tuple[Entity, str, str, str]:
    """Return a restaurant, a day, and a time that is free for a party, and one that is taken."""
    held = site("reservation", seed).entities
    floors = {one.id: one for one in held["Floor"]}
    for place in held["Restaurant"]:
        for day in seating.days(floors[place.id])[3:]:
            times = seating.free(place, floors[place.id], day, party)
            taken = [time for time in place.times.split() if time not in times]
            if times and taken:
                return place, day, times[0], taken[0]
    raise AssertionError("every table is free, or none is")


@SEEDS
def test_boxes_and_ranges_leave_what_fits(seed: int) -> None:
    at, rows = visitor("reservation", seed), site("reservation", seed).entities["Restaurant"]
    one, two = sorted({row.cuisine for row in rows})[:2]
    query = f"/?cuisine-{one}=1&cuisine-{two}=1&price_from=20&price_to=50&with-terrace=1&sort=cheap&shown=99"
    at.get(query)
    fits = [row for row in rows if row.cuisine in (one, two) and 2000 <= row.price <= 5000 and row.terrace]
    assert names(at) == [row.name for row in sorted(fits, key=lambda row: row.price)]
    at.get(f"{query}&with-parking=1")
    assert set(names(at)) == {row.name for row in fits if row.parking}
    everything = visitor("reservation", seed)
    everything.get("/?shown=99&price_from=cheap&cuisine-none=1&rating=9&sort=odd")
    assert len(names(everything)) == len(rows)


@SEEDS
def test_the_list_grows_until_it_shows_all(seed: int) -> None:
    at, rows = visitor("reservation", seed), site("reservation", seed).entities["Restaurant"]
    counts = [len(names(at))]
    while more := at.page.xpath("//main//a[contains(@href, 'shown=')]/@href"):
        at.get(f"/{more[0]}")
        counts.append(len(names(at)))
    assert counts == [*range(12, len(rows), 12), len(rows)]
    assert names(at) == [row.name for row in sorted(rows, key=lambda row: -row.popularity)]


@SEEDS
def test_a_booking_in_steps_keeps_what_was_said(seed: int) -> None:
    at = visitor("reservation", seed)
    place, day, time, _ = free_table(seed, 4)
    asked = f"party=4&day={day}&seating=seat_bar&occasion=&request={{no}} braces"
    at.get(f"/r/{place.id}/book?step=1&{asked}")
    assert time in at.page.xpath("//main//button[@name='time']/@value")
    at.get(f"/r/{place.id}/book?step=3&time={time}&{asked}&previous=1")
    assert at.page.xpath("//main//button[@name='time' and @aria-current]/@value") == [time]
    kept = sent(at, "get")
    assert {name: kept[name] for name in ("party", "day", "seating", "request")} == {
        "party": "4", "day": day, "seating": "seat_bar", "request": "{no} braces",
    }  # fmt: skip
    at.get(f"/r/{place.id}/book?step=3&time={time}&{asked}")
    at.post("/add-booking", sent(at, "post"))
    (made,) = at.changes()["booking"].added
    assert (made.restaurant, made.day, made.time, made.party) == (place.id, day, time, 4)
    assert (made.seating, made.request, made.status) == ("seat_bar", "{no} braces", "status_booked")


@SEEDS
def test_a_step_that_is_not_right_comes_up_again(seed: int) -> None:
    at = visitor("reservation", seed)
    place, day, time, _ = free_table(seed, 4)
    for query, field in (
        (f"step=3&party=40&day={day}&time={time}", "party"),
        (f"step=3&party=4&day=tomorrow&time={time}", "day"),
        (f"step=2&party=4&day={day}", "time"),
    ):
        at.get(f"/r/{place.id}/book?{query}")
        assert at.page.xpath(f"//main//*[@aria-describedby='add_booking-{field}-error']"), query
    assert not at.page.xpath("//main//form[@method='post']")


@SEEDS
def test_a_table_that_is_taken_and_a_second_one_at_the_same_time_are_refused(seed: int) -> None:
    at, world = visitor("reservation", seed), site("reservation", seed)
    place, day, _, taken = free_table(seed, 4)
    token = sent(at.get(f"/r/{place.id}") and at, "post")["csrf_token"]
    data = {"csrf_token": token, "restaurant": place.id, "party": "4", "seating": "seat_any", "back": "/"}
    at.post("/add-booking", {**data, "day": day, "time": taken})
    assert world.labels["error_full"] in at.html
    mine = next(one for one in world.entities["Booking"] if one.status == "status_booked")
    floors = {one.id: one for one in world.entities["Floor"]}
    other = next(
        one
        for one in world.entities["Restaurant"]
        if one.id != mine.restaurant and mine.time in seating.free(one, floors[one.id], mine.day, 2)
    )
    at.post("/add-booking", {**data, "restaurant": other.id, "party": "2", "day": mine.day, "time": mine.time})
    assert world.labels["error_twice"] in at.html
    assert "booking" not in at.changes()


@SEEDS
def test_the_calendar_leads_to_days_with_tables_alone(seed: int) -> None:
    at, world = visitor("reservation", seed), site("reservation", seed)
    place = next(one for one in world.entities["Restaurant"] if one.closed)
    floor = next(one for one in world.entities["Floor"] if one.id == place.id)
    at.get(f"/r/{place.id}")
    months = [
        f"/r/{place.id}",
        *(f"/r/{place.id}{href}" for href in at.page.xpath("//a[contains(@href, '?month=')]/@href")),
    ]
    found = set()
    for month in months:
        at.get(month)
        found |= {href.partition("day=")[2] for href in at.page.xpath("//main//td/a/@href")}
    there = {day for day in seating.days(floor) if seating.free(place, floor, day, 2)}
    assert found == {day for day in there if day[:7] in {one[:7] for one in found}}
    assert len({day[:7] for day in found}) == len(months)


@SEEDS
def test_a_review_needs_a_visit_and_is_written_once(seed: int) -> None:
    at, world = visitor("reservation", seed), site("reservation", seed)
    visited = {one.restaurant for one in world.entities["Booking"] if one.status == "status_visited"}
    said = {"stars": "4", "title": "Fine", "text": "Very fine."}
    for place, tries in ((next(one.id for one in world.entities["Restaurant"] if one.id not in visited), 1),
                         (min(visited), 2)):  # fmt: skip
        for _ in range(tries):
            at.get(f"/r/{place}/review")
            at.post("/send-review", {**sent(at, "post"), **said})
    assert world.labels["error_reviewed"] in at.html
    assert [one.restaurant for one in at.changes()["review"].added] == [min(visited)]


@SEEDS
def test_a_vote_counts_once(seed: int) -> None:
    at, world = visitor("reservation", seed), site("reservation", seed)
    review = world.entities["Review"][0]
    at.get(f"/r/{review.restaurant}/reviews")
    token = at.page.xpath("//input[@name='csrf_token']/@value")[0]
    data = {"csrf_token": token, "review": review.id, "back": "/"}
    at.post("/mark-helpful", data)
    at.post("/mark-helpful", data)
    ((_, after),) = at.changes()["review"].altered
    assert (after.marked, after.helpful) == (1, review.helpful + 1)
    at.post("/unmark-helpful", data)
    assert "review" not in at.changes()


@pytest.mark.parametrize("name", ["food", "reservation"])
@pytest.mark.parametrize("seed", range(4))
def test_what_a_restaurant_says_of_itself_names_its_own_street(name: str, seed: int) -> None:
    """A restaurant at 90 Cross Row is on Cross Row."""
    rows = site(name, seed).entities["Restaurant"]
    said = [(found[1], one.address) for one in rows if (found := re.search(r" on ([A-Z]\w+ [A-Z]\w+)", one.blurb))]
    assert len(said) >= 4
    assert [street for street, address in said if street not in address] == []
