"""Changes of two walks are compared without times, keys and derived columns."""

from collections.abc import Mapping
from typing import Any

import pytest

from stressweb.core.entity import Entity
from stressweb.plugins.database import TableChange
from stressweb.runner.verify.same_rows import comparable
from tests.support.toy import Toy


class Board(Toy):
    """Cards with a generated closing date and a word count derived from the text."""

    generated: Mapping[str, frozenset[str]] = {"card": frozenset({"id", "closed"})}
    derived: Mapping[str, frozenset[str]] = {"card": frozenset({"words"})}


CARD = {"id": 1, "text": "Paint", "closed": "", "words": 1}


def card(**values: Any) -> Entity:
    return Entity({**CARD, **values})


def changed(
    *, added: tuple[Entity, ...] = (), removed: tuple[Entity, ...] = (), altered: tuple[tuple[Entity, Entity], ...] = ()
) -> dict[str, TableChange]:
    return {"card": TableChange(("id",), added, removed, altered)}


NOTHING: dict[str, TableChange] = {}
FINISHED = changed(altered=((card(), card(closed="2025-06-02 10:00")),))


@pytest.mark.parametrize(
    ("left", "right", "are_same"),
    [
        pytest.param(changed(added=(card(),)), changed(added=(card(id=7, closed="now", words=9),)), True, id="added at another time"),
        pytest.param(changed(added=(card(),)), changed(added=(card(text="Pant"),)), False, id="added with another text"),
        pytest.param(FINISHED, changed(altered=((card(), card(closed="2025-06-02 10:01")),)), True, id="finished a minute later"),
        pytest.param(FINISHED, NOTHING, False, id="not finished"),
        pytest.param(changed(altered=((card(closed="May"), card(closed="June")),)), NOTHING, False, id="finished once more"),
        pytest.param(changed(altered=((card(closed="May"), card(closed="")),)), changed(altered=((card(closed="May"), card(closed="June")),)), False, id="reopened"),
        pytest.param(changed(altered=((card(), card(words=3)),)), NOTHING, True, id="a derived column alone"),
        pytest.param(changed(added=(card(id=7),), removed=(card(),)), NOTHING, True, id="given back under another key"),
        pytest.param(changed(added=(card(id=7, text="Pant"),), removed=(card(),)), NOTHING, False, id="made anew with another text"),
        pytest.param(changed(removed=(card(),)), changed(removed=(card(id=2),)), False, id="another row removed"),
    ],
)  # fmt: skip
def test_equal_changes_are_distinguished_from_different_ones(
    left: dict[str, TableChange], right: dict[str, TableChange], are_same: bool
) -> None:
    world = Board()
    assert (comparable(left, world) == comparable(right, world)) is are_same
