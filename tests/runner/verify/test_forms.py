"""Every form of every site accepts valid values, refuses invalid ones and never breaks; defects are detected."""

import re
from pathlib import Path
from typing import Any

import pytest

from stressweb.runner.registry import Library
from stressweb.runner.verify.forms import wrong_forms
from stressweb.sites.kit import KitSite, KitWorld
from tests.runner.verify.altered_site import AlteredSite
from tests.support.crawling import SITES

SPEC = """
host: guests.test
since: 2026-01-05
within: 100
people: {entity: Person, known: true}
frame: {name: site_name, sections: {link_home: /}}
labels:
  site_name: Tiny
  title_home: Home
  guest: Guest
  sign: Sign the book
  seats: Seats
  news: Send me news
entities:
  Person: {table: person, count: 1, columns: {id: "me-{n}", name: "Person {n}"}}
  Guest: {table: guest, count: 1, key: guest, columns: {id: "{n}", guest: "Guest {n}", seats: 1}}
pages:
  home:
    path: /
    title: title_home
    widgets: [{widget: form, action: sign}]
actions:
  sign:
    path: /sign
    fields: {guest: {length: 30}, seats: {type: integer, low: 1, high: 4}, news: {type: flag, required: false, value: "1"}}
    do: [{call: signed}, {insert: Guest, values: {guest: "{guest}", seats: "{seats}"}}]
"""
LOGIC = """
from stressweb.sites.kit import RefusedError

def signed(visit):
    guest, seats = visit.values["guest"], visit.values["seats"]
    BODY
"""


def site_world(folder: Path, body: str = "return {}") -> KitWorld:
    place = folder / "guests"
    place.mkdir()
    (place / "site.yaml").write_text(SPEC, "utf-8")
    (place / "logic.py").write_text(LOGIC.replace("BODY", body), "utf-8")
    return KitSite(place).world(0)


def problems(world: Any) -> list[str]:
    return [what for _, what in wrong_forms(world, [])]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return {}", ""),
        ("if seats == 1: raise KeyError('seats')", "/sign, valid values: POST /sign: KeyError: 'seats'"),
        (
            "if '漢' in guest: raise OverflowError('wide')",
            "Zoë Ångström 漢字 😀' in 'Guest': POST /sign: OverflowError: wide",
        ),
        ("raise RefusedError('error_allowed')", "/sign: no values are accepted: "),
    ],
    ids=["right", "breaks on a valid value", "breaks on an odd text", "takes nothing"],
)
def test_defects_of_a_form_are_found(tmp_path: Path, body: str, message: str) -> None:
    wrong = problems(site_world(tmp_path, body))
    assert bool(wrong) == bool(message), wrong
    assert not message or any(message in what for what in wrong), wrong


def test_a_form_that_takes_everything_is_found(tmp_path: Path) -> None:
    world = AlteredSite(site_world(tmp_path), form=lambda fields: {**fields, "guest": "Ann", "seats": "1"})
    wrong = problems(world)
    for value, field in (("nothing", "Guest"), ("80 characters", "Guest"), ("'several'", "Seats"), ("5", "Seats")):
        assert f"/sign, {value} in {field!r}: is accepted" in wrong


def test_a_refusal_without_message_or_typed_values_is_found(tmp_path: Path) -> None:
    def silent(page: str) -> str:
        page = re.sub(r'(class="[^"]*invalid-feedback[^>]*>)[^<]*', r"\1", page)
        return re.sub(r'(<input[^>]* name="news")', r"\1 checked", page)

    wrong = problems(AlteredSite(site_world(tmp_path), page=silent))
    assert "/sign, nothing in 'Guest': no error message at the field" in wrong
    assert "/sign, nothing in 'Guest': 'Send me news' has ['1'] instead of the entered value" in wrong


@pytest.mark.audit
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", SITES)
def test_every_form_of_every_site(name: str, seed: int) -> None:
    library = Library()
    goals = [library.goal(task, seed) for task in library.tasks(name)]
    assert [*wrong_forms(library.world(name, seed), goals)] == []
