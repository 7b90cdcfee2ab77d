"""Waits for what another thread or process brings about.

The bound ends a test that would wait forever. It says nothing about speed, so it is far longer than a busy machine
needs.
"""

import asyncio
import time
from collections.abc import Callable

import pytest

PATIENCE_S = 90.0
PAUSE_S = 0.01


def deadline() -> float:
    """Return when a test gives up, by `time.monotonic`."""
    return time.monotonic() + PATIENCE_S


def until[T](ask: Callable[[], T | None], pause: Callable[[], object] = lambda: time.sleep(PAUSE_S)) -> T:
    """Return the first true answer. On a page of Playwright, `pause` has to call the page, which passes events on."""
    end = deadline()
    while not (answer := ask()):
        if time.monotonic() > end:
            pytest.fail(f"waited {PATIENCE_S:g} s in vain")
        pause()
    return answer


async def until_async(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds while other coroutines run."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.sleep(PAUSE_S)
