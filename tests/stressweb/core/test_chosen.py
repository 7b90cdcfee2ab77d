"""Tasks are chosen by id, short name or pattern, and left out in the same way."""

import pytest

from stressweb.core.chosen import chosen, without
from stressweb.core.errors import UserError

KNOWN = ["bank/find", "bank/pay", "shop/buy", "shop/find", "shop/first-hit"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("shop/buy", ["shop/buy"]),
        ("buy", ["shop/buy"]),
        ("pay, shop/find,pay", ["bank/pay", "shop/find"]),
        ("shop/*", ["shop/buy", "shop/find", "shop/first-hit"]),
        ("fi*", ["bank/find", "shop/find", "shop/first-hit"]),
        ("*", KNOWN),
        ("shop/first-hit,shop/*", ["shop/first-hit", "shop/buy", "shop/find"]),
        ("?a*/pay", ["bank/pay"]),
        ("[bs]*/find", ["bank/find", "shop/find"]),
    ],
)
def test_what_a_list_names(text: str, expected: list[str]) -> None:
    assert chosen(text, KNOWN) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bui", "unknown task 'bui'; did you mean shop/buy? There are bank/find, bank/pay, shop/buy"),
        ("find", "task 'find' is in several sites; choose from bank/find, shop/find"),
        ("market/*", "task 'market/*' matches no task; `stressweb list tasks` lists all 5"),
        (",", "task is empty; `stressweb list tasks` lists all 5"),
        ("shop/*,sell", "unknown task 'sell'"),
    ],
)
def test_what_names_nothing_is_refused(text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        chosen(text, KNOWN)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("shop/*", ["bank/find", "bank/pay"]),
        ("find", ["bank/pay", "shop/buy", "shop/first-hit"]),
        ("find,shop/find", ["bank/pay", "shop/buy", "shop/first-hit"]),
        ("shop/buy,pay", ["bank/find", "shop/find", "shop/first-hit"]),
    ],
)
def test_what_is_left(text: str, left: list[str]) -> None:
    assert without(KNOWN, text) == left


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("market/*", "exclude 'market/*' does not match any of the 5 chosen tasks"),
        ("buy,nothing", "exclude 'nothing' does not match any of the 5 chosen tasks"),
        ("*", "exclude '*' leaves no task of 5; exclude fewer"),
        ("bank/*,shop/*", "exclude 'bank/*,shop/*' leaves no task of 5"),
    ],
)
def test_an_exclusion_that_cannot_be_meant_is_refused(text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        without(KNOWN, text)
    assert str(caught.value).startswith(said)
    with pytest.raises(UserError, match="the only chosen task"):
        without(KNOWN[:1], "pay")
