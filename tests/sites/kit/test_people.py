"""The people of a world are the same on every site, and not too easily told apart."""

from collections import Counter

from tests.sites.crawling import SITES, site


def test_sites_at_one_seed_share_their_people() -> None:
    # By what a person would know them by: a site may have only some of them, in an entity of its own.
    casts = {name: {one.name for one in site(name, 3).entities["Person"]} for name in SITES if _has_people(name)}
    assert len(casts) > 2
    whole = max(casts.values(), key=len)
    assert all(cast <= whole for cast in casts.values())
    assert whole != {one.name for one in site("shop", 4).entities["Person"]}


def _has_people(name: str) -> bool:
    return "Person" in site(name, 3).entities


def test_some_look_like_others_and_some_names_are_long() -> None:
    people = site("shop", 3).entities["Person"]
    assert len({one.id for one in people}) == len(people)
    for part in ("first", "last"):
        assert sum(count > 1 for count in Counter(one[part] for one in people).values()) >= 15
    assert sum(len(one.name) > 24 for one in people) >= 5


def test_strangers_are_met_nowhere() -> None:
    world = site("shop", 3)
    assert not {one.id for one in world.entities["Newcomer"]} & {one.id for one in world.entities["Person"]}
