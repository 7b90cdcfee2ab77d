"""Sites greet people by their first name."""

import re

import pytest

from stressweb.core.entity import Entity
from stressweb.sites.kit.serving.visit import with_first_name
from tests.support.crawling import SITES, send, site, visitor

GREETING = re.compile(r"\b(hello|hi|hey|dear|welcome|hungry)\b.*\{me\.", re.IGNORECASE)


@pytest.mark.parametrize("name", SITES)
def test_no_wording_greets_by_the_full_name(name: str) -> None:
    labels = site(name, 0).spec.labels.values()
    wordings = [wording for label in labels for wording in ([label] if isinstance(label, str) else label)]
    greetings = [wording for wording in wordings if GREETING.search(wording)]
    assert [wording for wording in greetings if "{me.first}" not in wording or "{me.name}" in wording] == []
    assert greetings or name not in ("food", "shop", "tasks")


def test_the_page_of_a_greeting_has_the_first_name() -> None:
    greeted = 0
    for seed in range(12):
        walker = visitor("food", seed)
        me = walker.world.entities["Customer"][0]
        heading = walker.page.xpath("string(//h1)")
        assert me.name not in heading
        greeted += me.name.partition(" ")[0] in heading
    assert greeted


def test_a_sign_in_greets_by_the_first_name() -> None:
    greeted = 0
    for seed in range(8):
        walker = visitor("shop", seed)
        person = walker.world.entities["Customer"][0]
        walker.get("/sign-in")
        send(walker, "sign_in", email=person.id, password=person.password)
        assert walker.page.xpath("//form[@action='/sign-out']")
        assert f"Welcome back, {person.name}" not in walker.html
        greeted += f"Welcome back, {person.name.partition(' ')[0]}." in walker.html
    assert greeted


@pytest.mark.parametrize(
    ("person", "first"),
    [
        (Entity(name="Anna Schmidt"), "Anna"),
        (Entity(name="Anna"), "Anna"),
        (Entity(name="Mary Ann Schmidt", first="Mary Ann"), "Mary Ann"),
        (Entity(id="me"), ""),
    ],
)
def test_a_first_name_is_the_column_or_the_first_word(person: Entity, first: str) -> None:
    assert with_first_name(person) == {**person, "first": first}
