"""Native dialogs: which one is open, and a way not to hang behind it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Dialog as NativeDialog
from playwright.async_api import Error as PlaywrightError

from stressweb.plugins.agent import Dialog
from stressweb.runner.browser.interruption import Behind, Interrupted, Interruption

# A page can make it as long as it likes, and it is repeated in outcomes and observations.
SAID = 200
"""Characters of a dialog's message that are kept."""


class Dialogs:
    """The dialogs of one browser context, answered in the order in which they opened.

    While one is open, every question to its page hangs. A call made under `interrupting` is given up when a dialog
    opens, which Playwright passes on to the browser: what was not done by then is not done later.
    """

    def __init__(self, context: BrowserContext) -> None:
        """Take over the context's dialogs; without this the browser would dismiss them unseen."""
        self._open: list[NativeDialog] = []
        self._call: Interruption | None = None
        self._tasks = set[asyncio.Task[None]]()
        self._ending = False
        self.news: list[str] = []
        """What opened and was not told yet."""
        context.on("dialog", self._opened)
        context.on("pageclose", self._closed)

    @property
    def current(self) -> Dialog | None:
        """The dialog that is to be answered first."""
        if not self._open:
            return None
        native = self._open[0]
        return Dialog(native.type, native.message[:SAID], native.default_value)  # type: ignore[arg-type]

    @contextlib.asynccontextmanager
    async def interrupting(self) -> AsyncIterator[None]:
        """Raise Interrupted in the body if a dialog opens; raises Behind if one is open."""
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
        """Accept or dismiss the current dialog; a prompt is answered by `text`, else by what it offers."""
        # Taken off the list first: what it interrupts is over, and the next one may open during this very answer.
        native = self._open.pop(0)
        # What the page does next may open another one while this call is still under way.
        with contextlib.suppress(Interrupted):
            async with self._listening():
                if not accept:
                    await native.dismiss()
                elif native.type == "prompt":
                    await native.accept(native.default_value if text is None else text)
                else:
                    await native.accept()

    async def end(self) -> None:
        """Dismiss what is open, and from now on every dialog at once; one that asks whether to leave is accepted."""
        # Set before anything is dismissed, since the page may open the next dialog at once.
        self._ending = True
        left, self._open = self._open, []
        for native in left:
            await _put_away(native)

    def _opened(self, native: NativeDialog) -> None:
        if self._ending:
            task = asyncio.get_running_loop().create_task(_put_away(native))
            # The loop alone would forget it.
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return
        self._open.append(native)
        self.news.append(f"opened {Dialog(native.type, native.message[:SAID])}")  # type: ignore[arg-type]
        if self._call is not None:
            self._call.interrupt()

    def _closed(self, page: Page) -> None:
        # A dialog closes with its page. Left in the list, it would cover every other tab, and could not be answered.
        self._open = [native for native in self._open if native.page != page]


async def _put_away(native: NativeDialog) -> None:
    with contextlib.suppress(PlaywrightError):
        # To dismiss a question whether to leave is to stay on the page. The page may be gone by now, and its dialog
        # with it.
        await (native.accept() if native.type == "beforeunload" else native.dismiss())
