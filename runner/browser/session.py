"""An agent's session in one browser context: what it does, and what it gets to see."""

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
from stressweb.runner.browser.observe import Observer
from stressweb.runner.browser.recorder import Recorder
from stressweb.runner.browser.settle import Traffic
from stressweb.runner.browser.sources import Charged
from stressweb.runner.browser.tabs import Tabs

NOTHING = "<!DOCTYPE html><html><head></head><body></body></html>"
"""What is seen of a page on which a dialog opened before it could be read."""
_ROUNDS = 5
"""Reads after which tabs that keep opening tabs are not followed any further."""


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
        """Open the first tab; `wants` is what the observations must hold beyond the document.

        `charged` counts the time that the sources of plug-ins take as the agent's. `window` is the size of the window
        in CSS pixels, if a small picture of every page is to be taken. `recorder` reads the pages of an episode.
        `offers` are the files that the agent can upload.
        """
        self.copy = ""
        """The recorder's own copy of the page that was read last."""
        self.picture: bytes | None = None
        """A small picture of the page that was read last, which no observation holds; made by `take_picture`."""
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
        """On which page a drag was interrupted by a dialog, with the button of the mouse still down."""

    async def start(self, url: str, timeout: float, credential: str = "") -> Observation:
        """Open the first page and return it; raises InfrastructureError if it does not come in `timeout` ms.

        `credential` is what the context's proxy asks for, if it does.
        """
        self._tabs = await Tabs.of(self._context)
        # Before the first document, which reports like all others.
        await self._recorder.attach(self._tabs.current, self._tabs.cdp)
        admission: AbstractAsyncContextManager[None]
        admission = admitted(self._tabs.cdp, url, credential) if credential and self._tabs.cdp else nullcontext()
        try:
            async with self._dialogs.interrupting(), admission:
                # Only until the first byte, as in every navigation: the rest is for settling to find out, in the same
                # way.
                await self._tabs.current.goto(url, wait_until="commit", timeout=timeout)
        # A dialog on load is not a failure: the page is there, and the agent sees the dialog first.
        except Interrupted:
            pass
        except PlaywrightError as error:
            raise InfrastructureError(f"the first page did not load: {first_line(error)}") from error
        return self._seen(await self._look())

    async def step(self, action: Action) -> tuple[Outcome, Observation]:
        """Do an action; return what came of it and the settled page after it."""
        outcome = await self._do(action)
        # The browser often reports side effects only while the page settles, so the outcome is completed afterwards.
        after = await self._look()
        outcome = self._told(outcome)
        self._history.append((action, outcome))
        return outcome, self._seen(after)

    async def take_picture(self) -> bytes | None:
        """Return a small picture of the page that was read last, taken unless it was; nothing may be done meanwhile."""
        if self._is_pictured or not self._window or not self._tabs.cdp:
            return self.picture
        self._is_pictured = True
        with suppress(Interrupted):
            async with self._dialogs.interrupting():
                # Chaos moves blocks when a page is read: the frame that is there shows them where they were.
                await self._recorder.drawn(self._tabs.current)
                self.picture = await pictures.take(self._tabs.cdp, *self._window)
        return self.picture

    def check_sources(self) -> None:
        """Raise SourceError if a plug-in's source failed on the page that was read last."""
        if self._observer.failure is not None:
            raise self._observer.failure

    async def end(self) -> None:
        """Dismiss what is open: nothing may hold up what comes after the agent."""
        await self._dialogs.end()

    async def _do(self, action: Action) -> Outcome:
        if action.kind == "DIALOG":
            return await self._answer(action)
        try:
            async with self._dialogs.interrupting():
                if action.selector is None:
                    await self._listen()
                return await self._in_tabs(action)
        except Behind:
            # The reason already names the dialog, so it is not reported a second time.
            self._dialogs.news.clear()
            return Outcome(ok=False, reason="covered by", detail=str(self._dialogs.current))
        # The action itself was done; the dialog is its effect, which the news reports.
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
        await self._let_go()
        return DONE

    async def _let_go(self) -> None:
        """Let go of the mouse where a dialog interrupted a drag: else every later move of the pointer would drag."""
        if self._holding is None or self._dialogs.current:
            return
        page, self._holding = self._holding, None
        # The page may be gone by now, or open the next dialog.
        with suppress(Interrupted, PlaywrightError):
            async with self._dialogs.interrupting():
                await page.mouse.up()

    async def _listen(self) -> None:
        """Hear of a dialog that opened since the last read: what has no target asks the page nothing beforehand."""
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
        """Return the settled page of the tab that is current by then; behind a dialog, what was read last."""
        try:
            async with self._dialogs.interrupting():
                # The picture of the page before must not stand beside this one if a dialog keeps the new one from being
                # taken.
                self._last, self.picture, self._is_pictured = await self._read(), None, False
                self.copy = self._observer.copy
        except Interrupted:
            # The first page may open its dialog before it was ever read.
            if self._last is None:
                self._last = Observation(url=self._tabs.current.url, html=NOTHING)
        return self._last

    async def _read(self) -> Observation:
        # One time for all rounds: a page that keeps opening tabs costs an agent no more than one that never settles.
        deadline = time.monotonic() + SETTLE_TIMEOUT_S
        for _ in range(_ROUNDS):
            page = await self._tabs.follow(deadline)
            await self._recorder.attach(page, self._tabs.cdp)
            try:
                left = max(0.0, deadline - time.monotonic())
                observation = await self._observer.settled(page, self._traffic, left, self._tabs.loading)
            except InfrastructureError:
                # The tab may have closed itself under the read; if the browser is gone, no other tab opens.
                if not page.is_closed():
                    raise
                continue
            self._tabs.call(observation.tabs[0])
            # To ask for the size of a file is to wait for its last byte, so that it is asked only when nothing comes
            # any more.
            await self._tabs.downloaded(finished=self._traffic.busy() == 0)
            # What was read counts only if no other tab has become the current one meanwhile.
            if await self._tabs.follow(deadline) is page:
                return observation
        raise InfrastructureError("the page keeps opening and closing tabs")

    def _told(self, outcome: Outcome) -> Outcome:
        """Add to an outcome what the browser did besides."""
        news = [*self._tabs.news, *self._dialogs.news]
        self._tabs.news.clear()
        self._dialogs.news.clear()
        detail = "; ".join(part for part in (outcome.detail, *news) if part)
        return outcome.model_copy(update={"detail": detail})

    def _seen(self, observation: Observation) -> Observation:
        """Return an observation with what is true of the whole session."""
        return replace(
            observation,
            history=tuple(self._history),
            dialog=self._dialogs.current,
            tabs=self._tabs.titles(),
            tab=self._tabs.index,
        )
