"""An agent's session in one browser context: performs its actions and returns its observations."""

import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import replace

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from stressweb.core.errors import InfrastructureError, first_line
from stressweb.core.protocol import SETTLE_TIMEOUT_S
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Observation
from stressweb.plugins.offers import Offer
from stressweb.runner.browser import pictures
from stressweb.runner.browser.actions.perform import DONE, perform
from stressweb.runner.browser.admission import admitted
from stressweb.runner.browser.dialogs import Dialogs
from stressweb.runner.browser.interruption import Behind, Interrupted, asking
from stressweb.runner.browser.loading import Traffic
from stressweb.runner.browser.observe import Observer
from stressweb.runner.browser.recorder import Recorder
from stressweb.runner.browser.sources import Charged
from stressweb.runner.browser.tabs import Tabs

EMPTY_PAGE = "<!DOCTYPE html><html><head></head><body></body></html>"
"""Observed document if a dialog opened before the first page could be read."""
_ROUNDS = 5
"""Maximum number of reads after an action, while tabs keep opening and closing."""


class BrowserSession:
    """Tabs, dialogs and downloads of a context, and the observations of an agent that works in it."""

    def __init__(
        self,
        context: BrowserContext,
        traffic: Traffic,
        wants: frozenset[str] = frozenset(),
        charged: Charged = lambda seconds: nullcontext(),
        window: tuple[int, int] | None = None,
        recorder: Recorder | None = None,
        offers: Sequence[Offer] = (),
    ) -> None:
        """Take the context; `start` opens the first tab. `wants` are the sources to observe besides the document.

        `charged` counts the time that the sources of plug-ins take as the agent's. `window` is the window's size in CSS
        pixels, or None to take no pictures for the report. `recorder` reads the pages of an episode. `offers` are the
        files that the agent can upload.
        """
        self.recorded_html = ""
        """The recorder's copy of the last page."""
        self.picture: bytes | None = None
        """Small picture of the last page for the report, from `take_picture`."""
        self._is_pictured = True
        self._window = window
        self._traffic = traffic
        self._recorder = recorder or Recorder()
        self._offers = offers
        self._observer = Observer(wants, charged, self._recorder)
        self._history: list[tuple[Action, Outcome]] = []
        self._context = context
        self._tabs: Tabs
        """Opened by `start`."""
        self._dialogs = Dialogs(context)
        self._last: Observation | None = None
        self._holding: Page | None = None
        """Page on which a dialog interrupted a drag, with the mouse button still down."""

    async def start(self, url: str, timeout: float, credential: str = "") -> Observation:
        """Open the first page and return it; raises InfrastructureError if it does not answer within `timeout` ms.

        `credential` is for the context's proxy, if it requires one.
        """
        self._tabs = await Tabs.of(self._context)
        # Before the first document, so that it can report.
        await self._recorder.attach(self._tabs.current, self._tabs.cdp)
        admission: AbstractAsyncContextManager[None]
        admission = admitted(self._tabs.cdp, url, credential) if credential and self._tabs.cdp else nullcontext()
        try:
            async with self._dialogs.interrupting(), admission:
                # Only until the first byte, as in every navigation; settling waits for the rest.
                await self._tabs.current.goto(url, wait_until="commit", timeout=timeout)
        # A dialog on load is not a failure; the agent sees it first.
        except Interrupted:
            pass
        except PlaywrightError as error:
            raise InfrastructureError(f"the first page did not load: {first_line(error)}") from error
        return self._with_session_state(await self._look())

    async def step(self, action: Action) -> tuple[Outcome, Observation]:
        """Perform an action; return its outcome and the settled page after it."""
        outcome = await self._perform(action)
        # The browser often reports side effects only while the page settles.
        after = await self._look()
        outcome = self._with_news(outcome)
        self._history.append((action, outcome))
        return outcome, self._with_session_state(after)

    async def take_picture(self) -> bytes | None:
        """Return a small picture of the last page, taking it on the first call; call it before the next action."""
        if self._is_pictured or not self._window or not self._tabs.cdp:
            return self.picture
        self._is_pictured = True
        with suppress(Interrupted):
            async with self._dialogs.interrupting():
                # The mode `chaos` moves blocks when a page is read, so wait for a new frame.
                await self._recorder.drawn(self._tabs.current)
                self.picture = await pictures.take(self._tabs.cdp, *self._window)
        return self.picture

    def check_sources(self) -> None:
        """Raise SourceError if a plug-in's source failed on the last page."""
        if self._observer.failure is not None:
            raise self._observer.failure

    async def end(self) -> None:
        """Close dialogs, now and later, so that they do not block what follows the agent."""
        await self._dialogs.end()

    async def _perform(self, action: Action) -> Outcome:
        if action.kind == "DIALOG":
            return await self._answer(action)
        try:
            async with self._dialogs.interrupting():
                if action.selector is None:
                    await self._listen()
                return await self._in_tabs(action)
        except Behind:
            # The outcome already names the dialog.
            self._dialogs.news.clear()
            return Outcome(ok=False, reason="covered by", detail=str(self._dialogs.current))
        # The action was done, and the dialog is its effect, which is reported separately.
        except Interrupted as interrupted:
            self._holding = self._tabs.current if interrupted.held else None
            return DONE

    async def _answer(self, action: Action) -> Outcome:
        if self._dialogs.current is None:
            return Outcome(ok=False, reason="not found", detail="dialog")
        try:
            await self._dialogs.answer(action.text, accept=bool(action.accept))
        except PlaywrightError as error:
            raise InfrastructureError(f"answering the dialog failed: {first_line(error)}") from error
        await self._release_mouse()
        return DONE

    async def _release_mouse(self) -> None:
        """Release the mouse if a dialog interrupted a drag, or every later move of the pointer would drag."""
        if self._holding is None or self._dialogs.current:
            return
        page, self._holding = self._holding, None
        # The page may be gone, or open the next dialog.
        with suppress(Interrupted, PlaywrightError):
            async with self._dialogs.interrupting():
                await page.mouse.up()

    async def _listen(self) -> None:
        """Let pending dialog events arrive: an action without a selector makes no earlier call to the page."""
        with asking():
            await self._tabs.current.wait_for_timeout(0)

    async def _in_tabs(self, action: Action) -> Outcome:
        if action.kind not in ("TAB", "CLOSE_TAB"):
            return await perform(self._tabs.current, action, self._offers)
        index = self._tabs.index if action.index is None else action.index
        if not self._tabs.has(index):
            return Outcome(ok=False, reason="not found", detail=f"tab {index}")
        if action.kind == "TAB":
            await self._tabs.switch(index)
        else:
            await self._tabs.close(index)
        return DONE

    async def _look(self) -> Observation:
        """Return the settled page of the then current tab; behind a dialog, the last page."""
        try:
            async with self._dialogs.interrupting():
                # Reset the picture, so that a page never has the picture of the previous one.
                self._last, self.picture, self._is_pictured = await self._read(), None, False
                self.recorded_html = self._observer.recorded_html
        except Interrupted:
            # The dialog opened before the first read.
            if self._last is None:
                self._last = Observation(url=self._tabs.current.url, html=EMPTY_PAGE)
        return self._last

    async def _read(self) -> Observation:
        # One deadline for all rounds: pages that keep opening tabs take no longer than a page that never settles.
        deadline = time.monotonic() + SETTLE_TIMEOUT_S
        for _ in range(_ROUNDS):
            page = await self._tabs.follow(deadline)
            await self._recorder.attach(page, self._tabs.cdp)
            try:
                patience = max(0.0, deadline - time.monotonic())
                observation = await self._observer.settled(page, self._traffic, patience, self._tabs.loading)
            except InfrastructureError:
                # The tab may have closed during the read; if the browser is gone, opening another one fails.
                if not page.is_closed():
                    raise
                continue
            self._tabs.set_title(observation.tabs[0])
            # Getting a download's size waits for its end, so only when no request is in progress.
            await self._tabs.report_downloads(finished=self._traffic.busy() == 0)
            # Read again if another tab has become the current one.
            if await self._tabs.follow(deadline) is page:
                return observation
        raise InfrastructureError("the page keeps opening and closing tabs")

    def _with_news(self, outcome: Outcome) -> Outcome:
        """Return an outcome with the tabs, dialogs and downloads that the browser reported."""
        news = [*self._tabs.news, *self._dialogs.news]
        self._tabs.news.clear()
        self._dialogs.news.clear()
        detail = "; ".join(part for part in (outcome.detail, *news) if part)
        return outcome.model_copy(update={"detail": detail})

    def _with_session_state(self, observation: Observation) -> Observation:
        """Return an observation with history, dialog and tabs of the session."""
        return replace(
            observation,
            history=tuple(self._history),
            dialog=self._dialogs.current,
            tabs=self._tabs.titles(),
            tab=self._tabs.index,
        )
