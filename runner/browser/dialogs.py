"""Native dialogs of a context: which one is open, and how calls to its page avoid hanging."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Dialog as NativeDialog
from playwright.async_api import Error as PlaywrightError

from stressweb.plugins.agent import Dialog
from stressweb.runner.browser.interruption import Behind, Interrupted, Interruption

# A page's message may have any length, and is repeated in outcomes and observations.
MAX_MESSAGE = 200
"""Maximum number of characters of a dialog's message in observations."""


class Dialogs:
    """The dialogs of one browser context, answered in the order in which they opened.

    While a dialog is open, every call to its page hangs. A call inside `interrupting` is cancelled when a dialog opens;
    Playwright cancels it in the browser as well, so what it had not done by then is never done.
    """

    def __init__(self, context: BrowserContext) -> None:
        """Take over the context's dialogs, which Playwright would otherwise dismiss."""
        self._open: list[NativeDialog] = []
        self._call: Interruption | None = None
        self._tasks = set[asyncio.Task[None]]()
        self._ending = False
        self.news: list[str] = []
        """Opened dialogs that have not been reported yet."""
        context.on("dialog", self._on_dialog)
        context.on("pageclose", self._on_close)

    @property
    def current(self) -> Dialog | None:
        """The dialog to answer first; None if none is open."""
        if not self._open:
            return None
        native = self._open[0]
        return Dialog(native.type, native.message[:MAX_MESSAGE], native.default_value)  # type: ignore[arg-type]

    @contextlib.asynccontextmanager
    async def interrupting(self) -> AsyncIterator[None]:
        """Raise Interrupted in the body if a dialog opens; raise Behind if one is already open."""
        if self._open:
            raise Behind
        async with self._listening():
            yield

    @contextlib.asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        self._call = Interruption()
        try:
            async with self._call:
                yield
        finally:
            self._call = None

    async def answer(self, text: str | None, *, accept: bool) -> None:
        """Accept or dismiss the current dialog; the answer to a prompt is `text`, or else its default value."""
        # Removed first, because the next dialog may open during this call.
        native = self._open.pop(0)
        # Interrupted if the page opens another dialog before this call returns.
        with contextlib.suppress(Interrupted):
            async with self._listening():
                if not accept:
                    await native.dismiss()
                elif native.type == "prompt":
                    await native.accept(native.default_value if text is None else text)
                else:
                    await native.accept()

    async def end(self) -> None:
        """Close all open dialogs, and from now on every new one: accept `beforeunload`, dismiss all others."""
        # Set first, since the page may open the next dialog at once.
        self._ending = True
        still_open, self._open = self._open, []
        for native in still_open:
            await _close(native)

    def _on_dialog(self, native: NativeDialog) -> None:
        if self._ending:
            task = asyncio.get_running_loop().create_task(_close(native))
            # Keep a reference: the loop itself only has a weak one.
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return
        self._open.append(native)
        self.news.append(f"opened {Dialog(native.type, native.message[:MAX_MESSAGE])}")  # type: ignore[arg-type]
        if self._call is not None:
            self._call.interrupt()

    def _on_close(self, page: Page) -> None:
        # A dialog closes with its page. Without this it would block every other tab.
        self._open = [native for native in self._open if native.page != page]


async def _close(native: NativeDialog) -> None:
    # The page may be gone, and its dialog with it.
    with contextlib.suppress(PlaywrightError):
        # Dismissing `beforeunload` would stay on the page.
        await (native.accept() if native.type == "beforeunload" else native.dismiss())
