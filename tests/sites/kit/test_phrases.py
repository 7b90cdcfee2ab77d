"""Words of phrases: which are drawn, and from which lists."""

from datetime import datetime
from typing import Any

import pytest

from stressweb.sites.kit import Drawing
from stressweb.sites.kit.data.phrases import LazyWords, phrase, times
from stressweb.sites.kit.look import theme

LISTS = {"fruit": ["pear", "plum", "fig"], "town": ["Arden", "Birk"]}


def drawing(seed: int = 3) -> Drawing:
    def call(name: str) -> Any:
        raise AssertionError(f"{name} is not asked for")

    return Drawing(datetime(2025, 3, 4, 9), theme.draw({}, "look"), ("site", "orchard", seed), call)


def test_a_word_that_no_phrase_asks_for_is_not_drawn() -> None:
    world = drawing()
    words = LazyWords(world, ("key", 1), LISTS, n=lambda: 7, never=lambda: pytest.fail("drawn"))
    assert phrase("  {fruit} and {n}  figs", words) == f"{words['fruit'].capitalize()} and 7 figs"
    assert words == {"fruit": world.pick(LISTS["fruit"], "key", 1, "fruit"), "n": 7}


def test_a_word_stays_and_what_is_made_goes_before_lists() -> None:
    letters = iter("abc")
    words = LazyWords(drawing(), (), LISTS, town=lambda: next(letters))
    assert phrase("{town} {town}", words) == "A a"


def test_an_unknown_word_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="colour"):
        phrase("{colour}", LazyWords(drawing(), (), LISTS))


def test_textslie_in_their_hours() -> None:
    for n in range(50):
        texts = {name: make() for name, make in times(drawing(), n, first=8, hours=2).items()}
        assert texts["time"].split(":")[0] in ("8", "9")
        assert texts["day"].endswith("day")
