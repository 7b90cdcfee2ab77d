"""Runs coroutines on an event loop in another thread."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run_in_thread[Result](coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine in a new thread and return its result: in the main thread the browser's loop may already run."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
