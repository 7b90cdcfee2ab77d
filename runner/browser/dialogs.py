"""Native dialogs: which one is open, and a way not to hang behind it."""

import asyncio
import contextlib
from collections.abc import Iterator

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]
from playwright.sync_api import BrowserContext, Page
from playwright.sync_api import Dialog as NativeDialog
from playwright.sync_api import Error as PlaywrightError

from stressweb.plugins.agent import Dialog

# A page can make it as long as it likes, and it is repeated in outcomes and observations.
SAID = 200
"""Characters of a dialog's message that are kept."""


class Interrupted(Exception):  # noqa: N818 - what happened in the page, no failure
    """A dialog has opened: the call under way was given up, since it would hang until the dialog is answered."""

    held = False
    """Whether a button of the mouse is down, which has to be let go once the dialog is answered."""


class Behind(Interrupted):
    """A dialog was open before the action had begun, which is therefore not done."""


class Dialogs:
    """The dialogs of one browser context, answered in the order in which they opened.

    While one is open, every question to its page hangs. A call made under `interrupting` is given up when a dialog
    opens, which Playwright passes on to the browser: what was not done by then is not done later.
    """

    def __init__(self, context: BrowserContext) -> None:
        """Take over the context's dialogs; without this the browser would dismiss them unseen."""
        self._open: list[NativeDialog] = []
        self._caller: greenlet | None = None
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

    @contextlib.contextmanager
    def interrupting(self) -> Iterator[None]:
        """Raise Interrupted in the body if a dialog opens; raises Behind if one is open."""
        if self._open:
            raise Behind
        with self._listening():
            yield

    @contextlib.contextmanager
    def _listening(self) -> Iterator[None]:
        self._caller = getcurrent()
        try:
            yield
        finally:
            self._caller = None

    def answer(self, text: str | None, *, accept: bool) -> None:
        """Accept or dismiss the current dialog; a prompt is answered by `text`, else by what it offers."""
        # Taken off the list first: the interruption that its opening has scheduled may not have run yet, and would give
        # up this very answer.
        native = self._open.pop(0)
        # What the page does next may open another one while this call is still under way.
        with contextlib.suppress(Interrupted), self._listening():
            if not accept:
                native.dismiss()
            elif native.type == "prompt":
                native.accept(native.default_value if text is None else text)
            else:
                native.accept()

    def end(self) -> None:
        """Dismiss what is open, and from now on every dialog at once; one that asks whether to leave is accepted."""
        # Set before anything is dismissed, since the page may open the next dialog at once.
        self._ending = True
        left, self._open = self._open, []
        for native in left:
            _put_away(native)

    def _opened(self, native: NativeDialog) -> None:
        if self._ending:
            _put_away(native)
            return
        self._open.append(native)
        self.news.append(f"opened {Dialog(native.type, native.message[:SAID])}")  # type: ignore[arg-type]
        # Not from here: a caller resumed in the middle of an event would leave the event half handled.
        asyncio.get_running_loop().call_soon(self._interrupt)

    def _closed(self, page: Page) -> None:
        # A dialog closes with its page. Left in the list, it would cover every other tab, and could not be answered.
        self._open = [native for native in self._open if native.page != page]

    def _interrupt(self) -> None:
        """Raise Interrupted where the caller waits; Playwright's loop runs only while it does."""
        if self._caller is not None and self._open:
            self._caller.throw(Interrupted())


def _put_away(native: NativeDialog) -> None:
    with contextlib.suppress(PlaywrightError):
        # To dismiss a question whether to leave is to stay on the page. The page may be gone by now, and its dialog
        # with it.
        native.accept() if native.type == "beforeunload" else native.dismiss()
