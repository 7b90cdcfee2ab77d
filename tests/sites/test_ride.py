"""Logic of the rides: who follows a ride."""

from tests.support.crawling import send, site, visitor


def test_who_is_no_contact_any_more_follows_no_ride() -> None:
    walker = visitor("ride", 0)
    contact = site("ride", 0).entities["Contact"][0]
    ride = next(row for row in site("ride", 0).entities["Ride"] if row.state == "state_open")
    send(walker, "share_ride", ride=ride.id, contact=contact.id)
    walker.get(f"/rides/{ride.id}")
    assert walker.page.xpath(f"//*[@itemprop='name' and text()='{contact.name}']")
    send(walker, "drop_contact", contact=contact.id)
    walker.get(f"/rides/{ride.id}")
    assert not walker.page.xpath(f"//*[@itemprop='name' and text()='{contact.name}']")
    assert "share" not in walker.changes()


def test_a_saved_place_is_a_destination_at_once() -> None:
    walker, world = visitor("ride", 0), site("ride", 0)
    saved = world.entities["Saved"][1]
    place = next(row for row in world.entities["Place"] if row.id == saved.place)
    (link,) = walker.page.xpath(f"//main//a[text()='{saved.name} · {place.name}']")
    walker.get(link.get("href"))
    assert walker.page.xpath("//input[@name='to']/@value") == [place.name]


def test_a_past_ride_leads_to_the_same_again() -> None:
    walker, world = visitor("ride", 0), site("ride", 0)
    last = max((row for row in world.entities["Ride"] if row.state == "state_done"), key=lambda row: row.at)
    for path in ("/", "/history"):
        walker.get(path)
        assert walker.page.xpath(f"//a[@href='/quote?from={last.origin}&to={last.target}']")
    walker.get(f"/quote?from={last.origin}&to={last.target}")
    assert walker.page.xpath("//main//*[contains(@itemtype, 'Offer')]")


def test_a_planned_ride_says_when_its_driver_is_known_and_what_cancelling_costs() -> None:
    walker, world = visitor("ride", 0), site("ride", 0)
    planned = next(row for row in world.entities["Ride"] if row.state == "state_open")
    walker.get(f"/rides/{planned.id}")
    assert world.labels["text_planned"] in walker.html
    walker.get(f"/rides/{planned.id}/cancel")
    cells = walker.page.xpath("//main//table//td/text()")
    assert cells == [world.look.money(planned.price), world.look.money(0), world.look.money(0)]
    done = next(row for row in world.entities["Ride"] if row.state == "state_done")
    walker.get(f"/rides/{done.id}")
    assert world.labels["text_planned"] not in walker.html
