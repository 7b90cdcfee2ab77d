"""A site extends its mixins: resources, the order of entities, fields that depend on others."""

from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.sites.kit import KitSite
from stressweb.walking.walker import Walker
from tests.support.crawling import send

SPEC = """
host: rooms.test
since: 2026-01-05
within: 100
use: [addresses]
people: {entity: Guest, known: true}
frame: {name: site_name, toasts: true, sections: {link_addresses: /account/addresses}}
labels: {site_name: Rooms, title_home: Home, bed: Bed, book: Book this room, did_book: Booked., nights: Nights}
resources:
  Address: {fields: {bell: {required: false, label: notes}}, show: [street, city]}
entities:
  Guest:
    table: guest
    type: Person
    count: 2
    columns: {id: "guest-{n}", name: "Guest {n}", phone: "1"}
  Address:
    per: Guest
    count: 1
    columns: {label: Home, id: "{of.id}/Home", owner: "{of.id}", recipient: "{of.name}", street: "Street {of.id}", city: Town,
      postcode: "1", phone: "1", bell: "", is_default: 1}
  Room: {table: room, type: Room, count: 2, columns: {id: "room-{n}", name: "Room {n}"}}
  Bed: {table: bed, per: Room, count: 2, columns: {id: "{of.id}/{n}", room: {copy: of.id}, taken: 0}}
pages:
  home:
    widgets:
      - {widget: items, source: {of: Room}, show: [{part: name, text: "{row.name}"}, {part: form, action: book}]}
actions:
  book:
    about: Room
    fields:
      bed: {type: choice, row: Bed, choices: {of: Bed, where: {room: "{room.id}"}}, says: "{row.id}"}
      nights: {type: stepper, low: 1, high: 9, value: "1"}
    do: [{update: Bed, where: {id: "{bed.id}"}, values: {taken: "{nights}"}}]
"""


def world(folder: Path, spec: str = SPEC) -> Walker:
    (folder / "rooms").mkdir()
    (folder / "rooms" / "site.yaml").write_text(spec, "utf-8")
    return Walker(KitSite(folder / "rooms").world(0))


def book(walker: Walker, **fields: str) -> str:
    return send(walker, "book", **fields)


def taken(walker: Walker) -> dict[str, int]:
    return {key: nights for key, nights in walker.database.execute("SELECT id, taken FROM bed") if nights}


def test_the_resource_of_a_mixin_takes_what_the_site_says_over_it(tmp_path: Path) -> None:
    walker = world(tmp_path)
    walker.get("/account/addresses/new")
    assert walker.page.xpath("//input[@name='bell']")
    assert walker.page.xpath("//input[@name='street']")
    walker.get("/account/addresses")
    # The first guest is signed in from the start, and sees only their own address.
    assert "Street guest-0" in walker.html
    assert "Street guest-1" not in walker.html


def test_a_mistake_in_a_resource_that_goes_on_names_the_line_of_the_site(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"rooms/site.yaml:10: resources.Address.fieldz"):
        world(tmp_path, SPEC.replace("{fields: {bell", "{fieldz: {bell"))


def test_an_address_of_somebody_else_is_out_of_reach(tmp_path: Path) -> None:
    walker = world(tmp_path)
    send(walker, "default_address", address="guest-1/Home")
    assert walker.changes().keys() <= {"event", "session"}


def test_what_can_be_chosen_depends_on_the_row_that_the_form_is_about(tmp_path: Path) -> None:
    walker = world(tmp_path)
    assert walker.world.labels["error_form"] in book(walker, room="room-0", bed="room-1/0", nights="2")
    assert not taken(walker)
    # Without the row there is no other error of the form.
    assert walker.world.labels["error_form"] in book(walker, room="none", bed="room-1/0", nights="2")
    book(walker, room="room-0", bed="room-0/1", nights="2")
    assert taken(walker) == {"room-0/1": 2}


def test_a_stepper_has_its_limits(tmp_path: Path) -> None:
    walker = world(tmp_path)
    assert walker.page.xpath("//input[@name='nights']/@max") == ["9", "9"]
    assert walker.world.labels["error_form"] in book(walker, room="room-0", bed="room-0/1", nights="10")
    assert not taken(walker)


def test_what_was_done_is_a_toast_and_what_was_refused_stays_on_the_page(tmp_path: Path) -> None:
    walker = world(tmp_path)
    book(walker, room="room-0", bed="room-0/1", nights="2")
    (toast,) = walker.page.xpath("//*[contains(@class, 'kit-toasts')]//*[@role='status']")
    assert "Booked." in toast.text_content()
    book(walker, room="room-0", bed="", nights="2")
    assert not walker.page.xpath("//*[contains(@class, 'kit-toasts')]//*[@role='status']")
    assert walker.page.xpath("//*[@role='alert']")
