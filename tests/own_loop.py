"""Coroutines on an event loop of their own."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def alone[Result](coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a thread and return its result: in that of the tests, the browser's loop may run already."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
