"""Runs coroutines in the main thread, and lets signals end them in order."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any


def run[T](main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine like `asyncio.run`, and let it clean up after SIGTERM as it does after Ctrl-C.

    SIGTERM cancels the coroutine. When it has ended, the process's own handler of SIGTERM is called. Without this, the
    handler's exception would be raised in the middle of the event loop, and tasks could neither end what they started
    nor be awaited.
    """
    received: list[int] = []

    async def ending_on_signal() -> T:
        task = asyncio.current_task()
        assert task is not None

        def end(number: int) -> None:
            received.append(number)
            task.cancel()

        with handled((signal.SIGTERM,), end):
            return await main

    try:
        return asyncio.run(ending_on_signal())
    except asyncio.CancelledError:
        if received:
            signal.raise_signal(signal.SIGTERM)
        raise


@contextlib.contextmanager
def handled(numbers: Sequence[signal.Signals], handle: Callable[[int], None]) -> Iterator[None]:
    """Replace the handlers of signals with `handle`, called in the running event loop, while the context is open."""
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        loop.add_signal_handler(number, handle, number)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
            signal.signal(number, before[number])
