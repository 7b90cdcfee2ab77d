"""A refused form comes back as it was typed, with the error at the field."""

import pytest

from stressweb.runner.verify.form_fields import errors_at
from stressweb.walking.walker import Walker
from stressweb.walking.xpath import elements
from tests.support.crawling import PERSONAS, send, site, visitor


def sent(name: str, page: str, action: str, /, **typed: str | list[str]) -> Walker:
    """Send the form of a page with typed values, as a person with an account."""
    walker = visitor(name, 0, PERSONAS.get(name, ""))
    walker.get(page)
    send(walker, action, back=page, **typed)
    return walker


@pytest.mark.parametrize(("ticked", "stands"), [({"news": "1"}, True), ({}, False)])
def test_a_box_stays_as_it_was_left(ticked: dict[str, str], stands: bool) -> None:
    walker = sent("shop", "/account", "change_profile", name="", phone="555-01-1234", **ticked)
    (box,) = elements(walker.page, "//main//input[@name='news']")
    assert (box.get("checked") is not None) is stands


def test_nobody_loses_what_was_typed_for_another_button_of_the_form() -> None:
    walker = sent("calendar", "/batch", "batch_move", batch_category="", batch_colour="colour_red")
    (chosen,) = elements(walker.page, "//main//select[@name='batch_colour']/option[@selected]")
    assert chosen.get("value") == "colour_red"


def test_boxes_of_a_batch_are_described_by_what_is_wrong_with_them() -> None:
    walker = sent("calendar", "/batch", "batch_delete", events=["no-such-row"])
    form = elements(walker.page, "//main//form[.//input[@name='events']]")[0]
    assert errors_at(walker.page, form, "events")


def test_a_form_about_one_row_says_what_is_wrong_although_others_tick_rows() -> None:
    walker = visitor("mail", 0)
    thread = site("mail", 0).entities["Thread"][0].id
    walker = sent("mail", f"/t/{thread}", "label_ticked", threads=thread, put_label="no-such-label")
    form = elements(walker.page, "//main//form[.//select[@name='put_label']]")[0]
    assert walker.world.labels["error_choice"] in errors_at(walker.page, form, "put_label")


def test_characters_that_no_page_can_show_are_left_out() -> None:
    whole = {"day": "2031-05-05", "start": "10:00", "end": "11:00", "category": "work", "repeat": "repeat_never"}
    walker = sent("calendar", "/new", "create_event", title="Nul\x00 bell\x07 end", **whole)
    (row,) = walker.changes()["appointment"].added
    assert row["title"] == "Nul bell end"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["shop", "food"])
def test_an_address_can_be_added(name: str, seed: int) -> None:
    walker = visitor(name, seed, PERSONAS.get(name, ""))
    walker.get("/account/addresses/new")
    typed = {"recipient": "Zoë", "street": "Quay 1", "city": "Bay", "postcode": "12345", "phone": "555-01-1234"}
    action = site(name, seed).spec.actions["add_address"]
    fields = typed | dict.fromkeys(action.fields.keys() - typed.keys(), "")
    send(walker, "add_address", back="/account", **fields | {"address_label": "Boathouse 7"})
    (row,) = walker.changes()["address"].added
    assert (row["label"], row["recipient"], row["street"]) == ("Boathouse 7", "Zoë", "Quay 1")
