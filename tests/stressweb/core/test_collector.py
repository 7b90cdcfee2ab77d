"""The collector runs rarely, and still frees cycles."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from stressweb.core.collector import collect_rarely


class Node:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def runs_so_far() -> int:
    return sum(int(generation["collections"]) for generation in gc.get_stats())


def runs_during_draw() -> int:
    """Count the collector's runs while as many objects are made as for a small site."""
    gc.collect()
    before = runs_so_far()
    rows = [{"row": [number]} for number in range(100_000)]
    assert len(rows) == 100_000
    return runs_so_far() - before


def test_it_runs_a_twentieth_as_often() -> None:
    gc.set_threshold(700, 10, 10)
    usual = runs_during_draw()
    collect_rarely()
    assert runs_during_draw() <= usual / 20


def test_cycles_are_still_freed() -> None:
    collect_rarely()
    lost = weakref.ref(Node())
    rows = [Node() for _ in range(50_000)]
    assert rows
    assert lost() is None
