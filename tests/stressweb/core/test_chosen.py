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
def test_chosen_tasks(text: str, expected: list[str]) -> None:
    assert chosen(text, KNOWN) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bui", "unknown task 'bui'; did you mean shop/buy? There are bank/find, bank/pay, shop/buy"),
        ("find", "task 'find' is in several sites; choose from bank/find, shop/find"),
        ("market/*", "task 'market/*' matches no task; `stressweb list tasks` lists all 5"),
        ("shpo/*", "task 'shpo/*' matches no task; did you mean the site shop? `stressweb list tasks` lists all 5"),
        ("bnk/qqqq", "unknown task 'bnk/qqqq'; did you mean the site bank? `stressweb list tasks` lists all 5"),
        ("shop/*x", "task 'shop/*x' matches no task; `stressweb list tasks` lists all 5"),
        (",", "task is empty; `stressweb list tasks` lists all 5"),
        ("shop/*,sell", "unknown task 'sell'"),
    ],
)
def test_lists_that_match_no_task_are_refused(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        chosen(text, KNOWN)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("shop/*", ["bank/find", "bank/pay"]),
        ("find", ["bank/pay", "shop/buy", "shop/first-hit"]),
        ("find,shop/find", ["bank/pay", "shop/buy", "shop/first-hit"]),
        ("shop/buy,pay", ["bank/find", "shop/find", "shop/first-hit"]),
    ],
)
def test_excluded_tasks(text: str, left: list[str]) -> None:
    assert without(KNOWN, text) == left


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("market/*", "exclude 'market/*' does not match any of the 5 chosen tasks"),
        ("buy,nothing", "exclude 'nothing' does not match any of the 5 chosen tasks"),
        ("*", "exclude '*' leaves no task of 5; exclude fewer"),
        ("bank/*,shop/*", "exclude 'bank/*,shop/*' leaves no task of 5"),
    ],
)
def test_exclusions_without_effect_or_remainder_are_refused(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        without(KNOWN, text)
    assert str(caught.value).startswith(message)
    with pytest.raises(UserError, match="the only chosen task"):
        without(KNOWN[:1], "pay")
