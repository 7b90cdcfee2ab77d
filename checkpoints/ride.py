"""Checkpoints of the ride site's tasks.

A checkpoint is a condition on what the agent saw, or on what the pages show at the end. The exact
change of the database is under `expect` in `sites/ride/tasks.yaml`.
"""

from stressweb.core.entity import Entity
from stressweb.plugins.checks import Checks, checks
from stressweb.plugins.query import Item, Run, State, has_item
from stressweb.plugins.task import Goal


def _ride(run: Run, path: str, **props: object) -> Item | None:
    """Return a ride from a page at the end."""
    return run.closing(path).item("TaxiReservation", **props)


def _has_values(item: Item | None, **props: object) -> bool:
    """Return whether an item exists and has these properties."""
    return item is not None and item.reads(props)


def _is_about(state: State, trip: Entity) -> bool:
    """Return whether a page is about a trip; its query names each place by key or by name."""
    query = state.query
    ends = ((query.get("from", ""), trip.start, trip.start_name), (query.get("to", ""), trip.end, trip.end_name))
    return all(typed.strip().casefold() in (key, name.casefold()) for typed, key, name in ends)


def _goes_between(item: Item | None, start: str, end: str) -> bool:
    return _has_values(item, pickupLocation=start, dropoffLocation=end)


def _is_immediate(item: Item | None) -> bool:
    """Return whether a ride starts right away, without a note for the driver."""
    return item is not None and item["pickupDay"] is None and item["note"] is None


@checks("ride/quote-without-booking")
def quote_without_booking(run: Run, goal: Goal) -> Checks:
    """Look up a fare without booking."""

    path = f"/fare/{goal.trip.start}/{goal.trip.end}/{goal.tier.id}"

    def shows_details(state: State) -> bool:
        # Address and content: an error page could have the same address.
        return state.path == path and state.item("Offer", name=goal.tier.name) is not None

    def shows_fares(state: State) -> bool:
        return state.path == "/quote" and _is_about(state, goal.trip) and state.item("Offer") is not None

    yield "looked the trip up", run.ever(lambda state: shows_fares(state) or shows_details(state))
    yield "opened what the fare is made of", run.ever(shows_details)
    yield "left it open", shows_details(run.last)
    yield "booked and planned nothing", run.ever(shows_details) and run.untouched("ride")


@checks("ride/cheapest-for-five")
def cheapest_for_five(run: Run, goal: Goal) -> Checks:
    """Book the cheapest car that seats five."""
    ride = _ride(run, goal.evidence[0])
    yield "booked a ride", ride is not None
    yield "between the two places", _goes_between(ride, goal.trip.start_name, goal.trip.end_name)
    yield "with the cheapest car that is large enough", _has_values(ride, serviceType=goal.trip.large_name)
    yield "for five people", _has_values(ride, partySize=5)
    yield "right away", _is_immediate(ride)
    yield "with the usual payment", _has_values(ride, paymentMethod=goal.card.name)


@checks("ride/there-and-paid")
def there_and_paid(run: Run, goal: Goal) -> Checks:
    """Book the soonest car, share the ride, get in, pay and rate it."""
    page = run.closing(goal.evidence[0])
    ride, rating = page.item("TaxiReservation"), page.item("Review")
    yield (
        "booked a ride from home",
        _goes_between(ride, goal.trip.start_name, goal.trip.end_name) and _has_values(ride, partySize=1),
    )
    yield "with the car that is there soonest", _has_values(ride, serviceType=goal.trip.soon_name)
    yield "shared it", page.item("Person", name=goal.contact.name) is not None
    yield "arrived", _is_immediate(ride) and _has_values(ride, reservationStatus="state_done")
    yield "paid with the card", _has_values(ride, tip=goal.tip.name, paymentMethod=goal.card.name)
    yield "rated it", _has_values(rating, reviewRating=goal.stars.name)
    without_comment = rating is not None and rating["reviewBody"] is None
    yield "without praise or comment", without_comment and _has_values(rating, positiveNotes=goal.praise.name)


@checks("ride/electric-next-week")
def electric_next_week(run: Run, goal: Goal) -> Checks:
    """Plan a ride in an electric car for a day of next week."""
    ride = _ride(run, goal.evidence[0])
    yield "planned a ride between the two places", _goes_between(ride, goal.trip.start_name, goal.trip.end_name)
    yield "with the cheapest electric car", _has_values(ride, serviceType=goal.trip.quiet_name)
    yield "for the day", _has_values(ride, pickupDay=goal.day.id)
    yield "at the time", _has_values(ride, pickupTime=goal.time)
    yield "for so many people", _has_values(ride, partySize=goal.people)
    yield "with the note", _has_values(ride, note=goal.note.text)


@checks("ride/another-way-that-day")
def another_way_that_day(run: Run, goal: Goal) -> Checks:
    """Change both ends, the passengers and the time of a ride."""
    ride = _ride(run, goal.evidence[0])
    yield "changed the pick-up", _has_values(ride, pickupLocation=goal.start.name)
    yield "changed the drop-off", _has_values(ride, dropoffLocation=goal.end.name)
    yield "for two people", _has_values(ride, partySize=2)
    yield "at the new time", _has_values(ride, pickupTime=goal.time)
    changed = [(before, after) for before, after in run.altered("ride") if after.id == goal.ride.id]
    others_kept = all(
        before[name] == after[name] for before, after in changed for name in ("day", "tier", "card", "note")
    )
    yield "left everything else as it was", bool(changed) and others_kept


@checks("ride/pay-the-oldest-debt")
def pay_the_oldest_debt(run: Run, goal: Goal) -> Checks:
    """Pay the oldest unpaid ride."""
    paid_ride, owed_titles = (
        _ride(run, goal.evidence[0]),
        run.closing(goal.evidence[1]).names("TaxiReservation", owed="1"),
    )
    is_paid = paid_ride is not None and paid_ride["tip"] is not None and paid_ride["owed"] is None
    yield "paid the oldest", is_paid
    yield "with the card", is_paid and _has_values(paid_ride, paymentMethod=goal.card.name)
    yield "with the tip", is_paid and _has_values(paid_ride, tip=goal.tip.name)
    # The others must be listed, because no ride is on an empty page.
    yield (
        "and no other",
        goal.ride.title not in owed_titles and owed_titles == {unpaid_ride.title for unpaid_ride in goal.others},
    )


@checks("ride/cancel-the-later-one")
def cancel_the_later_one(run: Run, goal: Goal) -> Checks:
    """Cancel the later of two rides of a day."""
    cancelled_ride, ride_titles = _ride(run, goal.evidence[0]), run.closing("/rides").names("TaxiReservation")
    yield "cancelled the later one", _has_values(cancelled_ride, reservationStatus="state_cancelled")
    yield "for the reason", _has_values(cancelled_ride, reason=goal.reason.name)
    yield "kept the other", goal.first.title in ride_titles and goal.ride.title not in ride_titles
    yield "found the ride", run.ever(has_item("TaxiReservation", reservationId=goal.ride.id))


@checks("ride/rate-the-dearest-way-there")
def rate_the_dearest_way_there(run: Run, goal: Goal) -> Checks:
    """Rate the dearest ride to a place."""
    rating = run.closing(goal.evidence[0]).item("Review")
    yield "rated the dearest ride", rating is not None
    yield "with the stars", _has_values(rating, reviewRating=goal.stars.name)
    yield "with the praise", _has_values(rating, positiveNotes=goal.praise.name)
    yield "with the comment", _has_values(rating, reviewBody=goal.comment.text)


@checks("ride/who-may-follow")
def who_may_follow(run: Run, goal: Goal) -> Checks:
    """Add a trusted contact, and stop the colleagues from following."""
    page = run.closing("/contacts")
    added, followers = page.item("Person", name=goal.new.name), page.names("Person", follows="1")
    colleagues = {colleague.name for colleague in goal.colleagues}
    # The colleagues must be listed, because none of them follows on an empty page.
    removed_followers = colleagues - followers if colleagues <= page.names("Person") else set()
    yield "added the contact", _has_values(added, telephone=goal.new.phone)
    yield "with the relation", _has_values(added, relation=goal.relation.name)
    yield "who follows all rides", goal.new.name in followers
    yield "switched it off for a colleague", bool(removed_followers)
    yield "and for the other one", removed_followers == colleagues
    changed_names = {after.name for _, after in run.altered("contact")}
    others_kept = bool(changed_names) and changed_names <= colleagues and not run.removed("contact")
    yield "left the other contacts as they were", others_kept


@checks("ride/moved-house")
def moved_house(run: Run, goal: Goal) -> Checks:
    """Move the saved home, and where planned rides start."""
    home, page = run.closing("/saved").item("Place", name="Home"), run.closing("/rides")
    address = None if home is None else home.item("PostalAddress")
    moved_titles = page.names("TaxiReservation", pickupLocation=goal.new.name)
    titles = {ride.title for ride in goal.rides}
    old_kept = {ride.title for ride in goal.kept} <= page.names("TaxiReservation", dropoffLocation=goal.old.name)
    yield "changed the saved place", _has_values(address, name=goal.new.name)
    yield "moved the start of a ride", bool(moved_titles & titles)
    yield "moved the start of all of them", moved_titles >= titles
    yield "kept the rides to the old address", old_kept and moved_titles >= titles


@checks("ride/receipt-of-the-dearest")
def receipt_of_the_dearest(run: Run, goal: Goal) -> Checks:
    """Send the receipt of the dearest ride with a kind of car."""
    recipients = run.closing(goal.evidence[0]).names("SendAction")
    yield "found the ride", run.ever(has_item("TaxiReservation", reservationId=goal.ride.id))
    yield "sent its receipt", bool(recipients)
    yield "to the address", goal.inbox.address in recipients
    yield "and sent no other", [receipt.ride for receipt in run.added("receipt")] == [goal.ride.id]


@checks("ride/an-answer-that-helps")
def an_answer_that_helps(run: Run, goal: Goal) -> Checks:
    """Find the article that answers a question, and say that it helped."""
    path, title = goal.evidence[0], goal.question.title
    seen = run.ever(lambda state: state.path == path and state.item("Article", name=title) is not None)
    yield "found the article", seen
    yield "said that it helped", run.closing(path).item("Article", interactionStatistic="helpful") is not None
    yield "and said so of no other", [vote.article for vote in run.added("vote")] == [goal.question.id]
