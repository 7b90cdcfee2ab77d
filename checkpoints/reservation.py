"""Checkpoints of the reservation site's tasks.

The exact change of the database is under `expect` in `sites/reservation/tasks.yaml`.
"""

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks, checks
from stressweb.plugins.query import Item, Run, State, has_item
from stressweb.plugins.task import Goal


def saw_restaurant(run: Run, place: Entity) -> bool:
    """Return whether the agent found a restaurant: on its own pages, or in a list after a search or filter."""
    restaurant_page, lists_restaurant = f"/r/{place.id}", has_item("Restaurant", name=place.name)
    # Seeing a restaurant on the first page is not enough: it lists some.
    listed = run.ever(lambda state: (state.path != "/" or bool(state.query)) and lists_restaurant(state))
    return listed or run.ever(
        lambda state: state.path == restaurant_page or state.path.startswith(f"{restaurant_page}/")
    )


def saved(run: Run, goal: Goal) -> Checks:
    """Check that a restaurant was added to the favourites, and that they are otherwise unchanged."""
    favourites = run.closing("/favourites").names("Restaurant")
    # An agent may add it in the list of the first page.
    yield "found the restaurant", goal.place.name in favourites or saw_restaurant(run, goal.place)
    yield "added it to the favourites", goal.place.name in favourites
    yield "added nothing else", favourites == {goal.place.name, *(restaurant.name for restaurant in goal.liked)}


def booking(run: Run, place: Entity, day: Entity, time: str) -> Item | None:
    """Return an upcoming booking from the list at the end."""
    bookings = run.closing("/bookings")
    # With the name, because several restaurants may be booked on one day.
    rows = bookings.items("FoodEstablishmentReservation", startDate=day.id, startTime=time)
    return next((row for row in rows if (row["name"] or "").startswith(f"{place.name}, ")), None)


def booking_on_day(run: Run, place: Entity, day: Entity) -> Item | None:
    """Return the booking of a restaurant on a day, at any time."""
    rows = run.closing("/bookings").items("FoodEstablishmentReservation", startDate=day.id)
    return next((row for row in rows if (row["name"] or "").startswith(f"{place.name}, ")), None)


def table_checks(run: Run, place: Entity, opening: Entity, day: Entity, time: str, seat: str) -> Checks:
    """Check that a table was booked."""
    row = booking_on_day(run, place, day)
    yield "found the restaurant", saw_restaurant(run, place)
    yield "booked a table there on that day", row is not None
    yield "at the right time", row is not None and row["startTime"] == time
    yield "for the right number of people", row is not None and row.number("partySize") == opening.party
    yield "at the right table", row is not None and row["seating"] == seat


def shows_times(state: State, place: Entity, duel: Entity) -> bool:
    """Return whether a page lists the free times of a restaurant for the given day and party."""
    has_times = has_item("FoodEstablishmentReservation", provider=place.name, startDate=duel.day, partySize=duel.party)
    return state.path == f"/r/{place.id}/book" and has_times(state) and has_item("Offer")(state)


def shows_whole_list(state: State, place: Entity) -> bool:
    """Return whether a page is the unfiltered list in the default order, and includes a restaurant."""
    # The form also sends empty filters.
    filters = {name: text for name, text in state.query.items() if text and name != "shown"}
    return state.path == "/" and filters in ({}, {"sort": "popular"}) and has_item("Restaurant", name=place.name)(state)


def only_looked(run: Run) -> bool:
    """Return whether the agent booked, saved, reviewed and changed nothing."""
    return run.untouched("booking", "dish", "profile", "restaurant", "review")


def left_open(run: Run, place: Entity) -> bool:
    """Return whether the page of a restaurant is open at the end."""
    # Address and content: an error page could have the same address.
    return run.last.path == f"/r/{place.id}" and has_item("Restaurant", name=place.name)(run.last)


@checks("reservation/best-of-a-cuisine")
def best_of_a_cuisine(run: Run, goal: Goal) -> Checks:
    """Add the best rated restaurant of a cuisine to the favourites."""
    return saved(run, goal)


@checks("reservation/second-cheapest-nearby")
def second_cheapest_nearby(run: Run, goal: Goal) -> Checks:
    """Add the second cheapest restaurant of a district to the favourites."""
    return saved(run, goal)


@checks("reservation/last-of-the-list")
def last_of_the_list(run: Run, goal: Goal) -> Checks:
    """Open the last restaurant of the whole list."""
    yield "went down the whole list", run.ever(lambda state: shows_whole_list(state, goal.place))
    yield "found the restaurant", saw_restaurant(run, goal.place)
    yield "left its page open", left_open(run, goal.place)
    yield "changed nothing", saw_restaurant(run, goal.place) and only_looked(run)


@checks("reservation/desserts-of-the-dearest")
def desserts_of_the_dearest(run: Run, goal: Goal) -> Checks:
    """Leave the desserts of a menu open."""
    menu = f"/r/{goal.place.id}/menu"
    yield "found the restaurant", saw_restaurant(run, goal.place)
    yield "left its menu open", run.last.path == menu
    yield "at the desserts", run.last.path == menu and has_item("MenuItem", name=goal.dish.name)(run.last)
    yield "changed nothing", saw_restaurant(run, goal.place) and only_looked(run)


@checks("reservation/a-new-diet")
def a_new_diet(run: Run, goal: Goal) -> Checks:
    """Set the diet and its note."""
    me = run.closing("/profile").item("Person")
    yield "ticked vegan", me is not None and me["vegan"] == "1"
    changed = me is not None and me["glutenFree"] == "1"
    yield "ticked gluten-free", changed
    rest = ("vegetarian", "lactoseFree", "nutFree")
    yield "ticked nothing else", changed and me is not None and not any(me[name] for name in rest)
    yield "wrote the note", me is not None and me["description"] == goal.note.text


@checks("reservation/drop-the-worst-favourite")
def drop_the_worst_favourite(run: Run, goal: Goal) -> Checks:
    """Remove the worst rated favourite."""
    favourites = run.closing("/favourites").names("Restaurant")
    removed = bool(favourites) and goal.place.name not in favourites
    # An agent may remove it in the list of the first page.
    yield "found the restaurant", removed or saw_restaurant(run, goal.place)
    yield "removed it", removed
    yield "kept the others", favourites == {restaurant.name for restaurant in goal.kept}


@checks("reservation/only-one-fits")
def only_one_fits(run: Run, goal: Goal) -> Checks:
    """Open the only restaurant that meets all conditions."""
    yield "found the restaurant", saw_restaurant(run, goal.place)
    yield "opened its page", run.ever(lambda state: state.path == f"/r/{goal.place.id}")
    yield "left its page open", left_open(run, goal.place)
    yield "changed nothing", saw_restaurant(run, goal.place) and only_looked(run)


@checks("reservation/helpful-critics")
def helpful_critics(run: Run, goal: Goal) -> Checks:
    """Mark three reviews as helpful."""
    marked = run.closing(goal.evidence[0]).names("Review", marked="1")
    titles = [review.title for review in goal.reviews]
    for which, title in zip(("newest", "second", "third"), titles, strict=True):
        yield f"marked the {which} of them", title in marked
    yield "marked no other", marked == set(titles)


@checks("reservation/first-free-evening")
def first_free_evening(run: Run, goal: Goal) -> Checks:
    """Book the first free table of an evening, by the window."""
    yield from table_checks(run, goal.place, goal.opening, goal.day, goal.opening.evening, "seat_window")
    yield "left everything else as the form has it", _without_extras(run)


@checks("reservation/birthday-in-two-weeks")
def birthday_in_two_weeks(run: Run, goal: Goal) -> Checks:
    """Book a table for a birthday, with a request."""
    row = booking_on_day(run, goal.place, goal.day)
    yield from table_checks(run, goal.place, goal.opening, goal.day, goal.opening.time, "seat_any")
    yield "named the occasion", row is not None and row["occasion"] == "occasion_birthday"
    yield "made the request", row is not None and row["description"] == goal.wish.text


@checks("reservation/move-the-later-one")
def move_the_later_one(run: Run, goal: Goal) -> Checks:
    """Move a booking to another day, for more people."""
    row = run.closing(goal.evidence[0]).item("FoodEstablishmentReservation", reservationId=goal.stay.id)
    moved = row is not None and row["startDate"] == goal.day.id
    yield "found the booking", run.ever(lambda state: state.path.startswith(goal.evidence[0]))
    yield "moved it to the day", moved
    yield "at the same time", moved and row is not None and row["startTime"] == goal.stay.time
    yield "for the new number of people", row is not None and row.number("partySize") == goal.move.party
    changed = {after.id for _, after in run.altered("booking")}
    yield "left the other booking as it was", changed == {goal.stay.id}


@checks("reservation/cancel-large-parties")
def cancel_large_parties(run: Run, goal: Goal) -> Checks:
    """Cancel the bookings of large parties."""
    upcoming_titles, cancelled_titles = (
        run.closing(path).names("FoodEstablishmentReservation") for path in goal.evidence
    )
    titles = [stay.title for stay in goal.stays]
    cancelled = {after.id: after.reason for _, after in run.altered("booking") if after.status == "status_cancelled"}
    yield "cancelled the first of them", titles[0] in cancelled_titles
    yield "cancelled the last of them", titles[-1] in cancelled_titles
    yield "cancelled all of them", cancelled_titles >= set(titles)
    yield "kept the others", cancelled_titles >= set(titles) and upcoming_titles == {stay.title for stay in goal.kept}
    yield "gave the reason", bool(cancelled) and set(cancelled.values()) == {goal.reason.id}


@checks("reservation/more-free-times")
def more_free_times(run: Run, goal: Goal) -> Checks:
    """Compare the free times of two restaurants and leave the times of one open."""
    yield "saw the times of the one", run.ever(lambda state: shows_times(state, goal.place, goal.duel))
    yield "saw the times of the other", run.ever(lambda state: shows_times(state, goal.other, goal.duel))
    seen = run.ever(
        lambda state: shows_times(state, goal.place, goal.duel) or shows_times(state, goal.other, goal.duel)
    )
    yield "left the right ones open", shows_times(run.last, goal.place, goal.duel)
    yield "booked nothing", seen and only_looked(run)


@checks("reservation/lunch-and-dinner")
def lunch_and_dinner(run: Run, goal: Goal) -> Checks:
    """Book two tables on one day."""
    for what, place, opening, time in (
        ("lunch", goal.place, goal.opening, goal.opening.noon),
        ("dinner", goal.second, goal.dinner, goal.dinner.evening),
    ):
        row = booking_on_day(run, place, goal.day)
        yield f"booked {what} on the day", row is not None
        yield f"booked {what} at the right time", booking(run, place, goal.day, time) is not None
        yield f"booked {what} for the right party", row is not None and row.number("partySize") == opening.party
    yield "left everything else as the forms have it", _without_extras(run)


@checks("reservation/where-you-go-most")
def where_you_go_most(run: Run, goal: Goal) -> Checks:
    """Add the restaurant with the most visits to the favourites."""
    return saved(run, goal)


@checks("reservation/dishes-within-a-budget")
def dishes_within_a_budget(run: Run, goal: Goal) -> Checks:
    """Put dishes of a menu on the list."""
    listed_names = run.closing("/dishes").names("MenuItem", provider=goal.place.name)
    names = [dish.name for dish in goal.dishes]
    yield "opened the menu", run.ever(lambda state: state.path == f"/r/{goal.place.id}/menu")
    yield "listed the first of them", names[0] in listed_names
    yield "listed the last of them", names[-1] in listed_names
    yield "listed exactly these", listed_names == {*names, *(dish.name for dish in goal.listed)}


@checks("reservation/review-the-last-visit")
def review_the_last_visit(run: Run, goal: Goal) -> Checks:
    """Review the restaurant of the last visit."""
    review = run.closing(goal.evidence[0]).item("Review", name=goal.review.title)
    stars = review and review.item("Rating")
    yield "published the review", review is not None
    yield "with the stars", stars is not None and stars["ratingValue"] == goal.stars.value
    yield "with the text", review is not None and review["reviewBody"] == goal.review.text


@checks("reservation/vegan-evening")
def vegan_evening(run: Run, goal: Goal) -> Checks:
    """Set the diet, save a restaurant and book a table there."""
    me = run.closing("/profile").item("Person")
    yield "added vegan to the diet and kept the rest", me is not None and me["vegan"] == "1" and _kept_diet(run)
    yield "added the restaurant to the favourites", goal.place.name in run.closing("/favourites").names("Restaurant")
    yield from table_checks(run, goal.place, goal.opening, goal.day, goal.opening.evening, "seat_quiet")
    yield "without an occasion or a request", _without_extras(run)


def _without_extras(run: Run) -> bool:
    """Return whether there are new bookings, all without an occasion and a request."""
    rows = run.added("booking")
    return bool(rows) and not any(row.occasion or row.request for row in rows)


def _kept_diet(run: Run) -> bool:
    changes = run.altered("profile")
    return bool(changes) and all({**before, "vegan": after.vegan} == after for before, after in changes)
