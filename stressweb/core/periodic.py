"""Calls a function periodically while a block runs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def every(seconds: float, act: Callable[[], None]) -> Iterator[None]:
    """Call `act` every few seconds, in a separate thread, until the block ends."""
    end = threading.Event()

    def repeat() -> None:
        # Unlike `sleep`, `wait` returns as soon as the block ends.
        while not end.wait(seconds):
            act()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
