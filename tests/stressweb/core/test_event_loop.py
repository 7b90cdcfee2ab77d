"""A coroutine that a signal ends cleans up before the handler of the process acts."""

import asyncio
import os
import signal
from collections.abc import Iterator
from types import FrameType

import pytest

from stressweb.core.event_loop import run


class Terminated(BaseException):
    """Raised by the handler of SIGTERM."""


def terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, terminate)
    yield
    signal.signal(signal.SIGTERM, before)


def test_what_a_coroutine_started_ends_before_the_handler_acts() -> None:
    events: list[str] = []

    async def worked() -> None:
        # The signal comes while another task runs, in which the handler's exception would be lost.
        asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), signal.SIGTERM)
        try:
            await asyncio.gather(asyncio.sleep(20), asyncio.sleep(20))
        finally:
            await asyncio.sleep(0.01)
            events.append("cleaned up")

    with pytest.raises(Terminated):
        run(worked())
    assert events == ["cleaned up"]
    assert signal.getsignal(signal.SIGTERM) is terminate


def test_without_a_signal_the_result_is_returned_and_errors_pass() -> None:
    async def answer() -> int:
        return 42

    async def cancelled() -> None:
        raise asyncio.CancelledError

    assert run(answer()) == 42
    with pytest.raises(asyncio.CancelledError):
        run(cancelled())
    assert signal.getsignal(signal.SIGTERM) is terminate
