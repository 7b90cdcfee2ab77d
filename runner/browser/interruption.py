"""Giving up a call when a native dialog opens, because the call would hang until the dialog is answered.

To cancel a task that waits for Playwright ends the call in the browser as well: Playwright's driver aborts it, and what
was not done by then is not done later. Tried with a click that waits for its target, with dialogs opened by
pointerdown, by mouseover and in the middle of typing: nothing came after the dialog was answered, but for the event
that was under way when it opened.
"""

import asyncio
import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Self


class Interrupted(Exception):  # noqa: N818 - what happened in the page, no failure
    """A dialog has opened: the call under way was given up, since it would hang until the dialog is answered."""

    held = False
    """Whether a button of the mouse is down, which has to be let go once the dialog is answered."""


class Behind(Interrupted):
    """A dialog was open before the action had begun, which is therefore not done."""


class Interruption:
    """A block that raises Interrupted where it waits, once `interrupt` is called; like `asyncio.timeout`."""

    def __init__(self) -> None:
        """Wait for the block to begin."""
        self._task: asyncio.Task[object] | None = None
        self.came = False
        """Whether it was interrupted."""
        self.asking = False
        """Whether the block only asks the page, so that nothing has been done to it yet."""
        self.holding = False
        """Whether the block holds a button of the mouse down."""

    async def __aenter__(self) -> Self:
        """Begin the block in the current task."""
        self._task = task = asyncio.current_task()
        self._cancelling = 0 if task is None else task.cancelling()
        self._before = _CURRENT.set(self)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """End it; a cancellation that is ours becomes Interrupted, or Behind."""
        _CURRENT.reset(self._before)
        task, self._task = self._task, None
        if not self.came or task is None:
            return
        # Of somebody else's cancellation, which came as well, nothing may be lost.
        if task.uncancel() <= self._cancelling and isinstance(error, asyncio.CancelledError):
            # Where a button is down, something was done already.
            interrupted = Behind() if self.asking and not self.holding else Interrupted()
            interrupted.held = self.holding
            raise interrupted from None

    def interrupt(self) -> None:
        """Raise where the block waits; does nothing when it is over."""
        if self._task is not None and not self.came:
            self.came = True
            self._task.cancel()


_CURRENT: ContextVar[Interruption | None] = ContextVar("interruption", default=None)


@contextlib.contextmanager
def asking() -> Iterator[None]:
    """Say that the body only asks the page: a dialog that opens meanwhile raises Behind."""
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
    # Not in a `finally`: what interrupts the body must still find it set.
    current.asking = False


@contextlib.contextmanager
def holding() -> Iterator[None]:
    """Say that the body holds a mouse button down; behind a dialog it cannot be released."""
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
