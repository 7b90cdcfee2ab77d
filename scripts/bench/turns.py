"""Measures functions in turns."""

import statistics
import time
from collections.abc import Callable


def in_turns(rounds: int, *ways: Callable[[], object]) -> list[float]:
    """Return the median seconds of each function; all run once in every round, so that a drift affects all equally."""
    times: list[list[float]] = [[] for _ in ways]
    for _ in range(rounds):
        for way, spent in zip(ways, times, strict=True):
            start = time.perf_counter()
            way()
            spent.append(time.perf_counter() - start)
    return [statistics.median(spent) for spent in times]
