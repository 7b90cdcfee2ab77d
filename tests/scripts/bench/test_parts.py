"""Seconds are summed by part, without the time in nested calls of other parts."""

import asyncio
import inspect
from collections.abc import Coroutine
from typing import Any

import pytest

from scripts.bench.parts import BARE, EPISODE, PICTURES, REST, SITE, Stopwatch, parts


class Clock:
    """Advances only when the tests say so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


CLOCK = Clock()


def waited(coroutine: Coroutine[Any, Any, int]) -> int:
    """Run a coroutine without an event loop, as the loop of the tests' browser may run in this thread."""
    while True:
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return int(stop.value)


class Works:
    """Methods that take time."""

    def outer(self) -> int:
        CLOCK.now += 1
        return waited(self.inner())

    async def inner(self) -> int:
        await asyncio.sleep(0)
        CLOCK.now += 10
        return 7


WATCHED = [(Works, "outer", "a"), (Works, "inner", "b")]


def test_nested_calls_count_only_once_and_the_rest_is_named() -> None:
    watch = Stopwatch(CLOCK)
    original = inspect.getattr_static(Works, "outer")

    def way() -> None:
        CLOCK.now += 100
        assert Works().outer() == 7
        assert waited(Works().inner()) == 7

    for _ in range(2):
        watch.timing(way, WATCHED)()
    assert watch.seconds == {"a": 22, "b": 20, REST: 200}
    assert Works.outer is original


def test_functions_are_put_back_when_something_fails() -> None:
    original = inspect.getattr_static(Works, "inner")

    def fails() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        Stopwatch().timing(fails, WATCHED)()
    assert Works.inner is original


def test_milliseconds_are_those_of_one_episode() -> None:
    rows = parts({SITE: 1.0, REST: 1.0}, {SITE: 1.0, PICTURES: 2.0}, {SITE: 0.5}, 10)
    assert [*rows[0]] == [SITE, 100, 100, 50]
    assert [*rows[-1]] == ["total", 200, 300, 50]
    by_name = {part.name: part for part in rows}
    assert [*by_name[PICTURES]] == [PICTURES, 0, 200, 0]
    assert len(rows) == len({part for _, _, part in EPISODE}) + 2


def test_every_part_of_a_bare_script_is_one_of_an_episode() -> None:
    assert {part for _, _, part in BARE} <= {part for _, _, part in EPISODE}
