"""The people of a world are the same on every site, and have similar names."""

from collections import Counter

import pytest

from tests.support.crawling import SITES, site


# In world 8 the data of notes are drawn twice, because one of its tasks does not fit those of the first draw.
@pytest.mark.parametrize("seed", [3, 8])
def test_sites_at_one_seed_share_their_people(seed: int) -> None:
    # By name, because a site may have only some of them, in an entity of its own.
    casts = {
        name: {person.name for person in site(name, seed).entities["Person"]} for name in SITES if _has_people(name)
    }
    assert len(casts) > 2
    whole = max(casts.values(), key=len)
    assert all(cast <= whole for cast in casts.values())
    assert whole != {person.name for person in site("shop", 4).entities["Person"]}


def _has_people(name: str) -> bool:
    return "Person" in site(name, 3).entities


def test_some_look_like_others_and_some_names_are_long() -> None:
    people = site("shop", 3).entities["Person"]
    assert len({person.id for person in people}) == len(people)
    for part in ("first", "last"):
        assert sum(count > 1 for count in Counter(person[part] for person in people).values()) >= 15
    assert sum(len(person.name) > 24 for person in people) >= 5


def test_strangers_are_met_nowhere() -> None:
    world = site("shop", 3)
    assert not {person.id for person in world.entities["Newcomer"]} & {person.id for person in world.entities["Person"]}
