"""Logic of the rides: who follows a ride."""

from stressweb.walking.walker import Walker
from tests.support.crawling import site, visitor


def send(walker: Walker, action: str, **fields: str) -> None:
    token = walker.page.xpath("//input[@name='csrf_token']/@value")[0]
    walker.post(walker.world.spec.actions[action].path, {"csrf_token": token, "back": "/", **fields})  # type: ignore[attr-defined]


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
