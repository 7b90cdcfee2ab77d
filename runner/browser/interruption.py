"""Cancels a call when a native dialog opens, because the call would hang until the dialog is answered.

Cancelling a task that waits for Playwright also aborts the call in the driver, so what it had not done by then is never
done. Tested with a click waiting for its target, and with dialogs opened by pointerdown, mouseover and during typing:
after the dialog was answered, only the event that had opened it was completed.
"""

import asyncio
import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Self


class Interrupted(Exception):  # noqa: N818 - an event in the page, not an error
    """A dialog opened, and the running call was cancelled."""

    held = False
    """Whether a mouse button is down, to be released once the dialog is answered."""


class Behind(Interrupted):
    """A dialog was open before the action started, so the action was not done."""


class Interruption:
    """A block that raises Interrupted where it waits, once `interrupt` is called; like `asyncio.timeout`."""

    def __init__(self) -> None:
        """Start outside of a block."""
        self._task: asyncio.Task[object] | None = None
        self.is_interrupted = False
        """Whether the block was interrupted."""
        self.asking = False
        """Whether the block only queries the page and has not changed anything yet."""
        self.holding = False
        """Whether the block holds a mouse button down."""

    async def __aenter__(self) -> Self:
        """Enter the block in the current task."""
        self._task = task = asyncio.current_task()
        self._cancelling = 0 if task is None else task.cancelling()
        self._before = _CURRENT.set(self)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Leave the block; raise Interrupted or Behind if `interrupt` cancelled it."""
        _CURRENT.reset(self._before)
        task, self._task = self._task, None
        if not self.is_interrupted or task is None:
            return
        # Another cancellation at the same time must pass on.
        if task.uncancel() <= self._cancelling and isinstance(error, asyncio.CancelledError):
            # With a button down, the action has started.
            interrupted = Behind() if self.asking and not self.holding else Interrupted()
            interrupted.held = self.holding
            raise interrupted from None

    def interrupt(self) -> None:
        """Cancel the block where it waits; do nothing if it is over."""
        if self._task is not None and not self.is_interrupted:
            self.is_interrupted = True
            self._task.cancel()


_CURRENT: ContextVar[Interruption | None] = ContextVar("interruption", default=None)


@contextlib.contextmanager
def asking() -> Iterator[None]:
    """Declare that the block only queries the page, so that a dialog that opens meanwhile raises Behind."""
    current = _CURRENT.get()
    if current is None:
        yield
        return
    current.asking = True
    try:
        yield
    except Exception:
        current.asking = False
        raise
    # Not in a `finally`: an interruption, which cancels the body, must still see it set.
    current.asking = False


@contextlib.contextmanager
def holding() -> Iterator[None]:
    """Declare that the block holds a mouse button down, which cannot be released behind a dialog."""
    current = _CURRENT.get()
    if current is None:
        yield
        return
    current.holding = True
    try:
        yield
    except Exception:
        current.holding = False
        raise
    current.holding = False
