"""Waits for answers of a tab: a crashed renderer never answers."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page


class CrashWatch:
    """Detects that the renderer of a tab has crashed."""

    def __init__(self, page: Page) -> None:
        """Listen to the tab."""
        self._crashed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        page.on("crash", self._crash)

    async def answer(self, question: Coroutine[Any, Any, Any], patience_s: float | None = None) -> Any:
        """Return the answer of the tab to a question.

        Raises PlaywrightError if the tab crashes first, and TimeoutError after `patience_s` seconds without an answer.
        """
        call: asyncio.Future[Any] = asyncio.ensure_future(question)
        try:
            await asyncio.wait({call, self._crashed}, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            call.cancel()
            raise
        if call.done():
            return call.result()
        call.cancel()
        if self._crashed.done():
            raise PlaywrightError("the page crashed")
        raise TimeoutError

    def _crash(self, page: Page) -> None:
        if not self._crashed.done():
            self._crashed.set_result(None)
