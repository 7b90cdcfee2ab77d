"""Reads the settled page once, for recorder and agent alike."""

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from stressweb.core.errors import InfrastructureError, first_line
from stressweb.core.protocol import SETTLE_TIMEOUT_S
from stressweb.html.annotated import html_for_agent
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Observation
from stressweb.runner.browser.loading import IDLE, Loading, Traffic
from stressweb.runner.browser.pace import check_pace, is_slow
from stressweb.runner.browser.recorder import Recorder
from stressweb.runner.browser.settle import torn
from stressweb.runner.browser.sources import Charged, SourceError, SourceReader
from stressweb.sources import SHIPPED, source
from stressweb.sources.part import Part

READ_TIMEOUT_S = 10.0
"""Seconds for which a read is retried after a navigation interrupted it."""
SLOW_FACTOR = 5
"""Factor by which a page gets more time to settle on a slow machine."""


class Observer:
    """Reads the pages of one episode, with the values of every observation source."""

    def __init__(
        self,
        wants: frozenset[str] = frozenset(),
        charged: Charged = lambda seconds: nullcontext(),
        recorder: Recorder | None = None,
    ) -> None:
        """Take the names of the sources to read besides the document.

        `charged` counts the time that the sources of plug-ins take as the agent's. Without a `recorder`, reads are not
        announced to the page. Raises UserError for an unknown source.
        """
        self._recorder = recorder or Recorder()
        # Sorted, because the order of a set of strings differs between processes.
        kinds = [source(name) for name in sorted(wants | {"dom"})]
        # By name, since a plug-in's source that is derived from a built-in one fills no field of the observation.
        self._observation_parts = [kind() for kind in kinds if kind.name in SHIPPED and issubclass(kind, Part)]
        self._plugin_sources = SourceReader([kind for kind in kinds if kind.name not in SHIPPED], charged)
        self._read_options = {
            "measured": any(part.measured for part in self._observation_parts),
            "tree": any(part.written for part in self._observation_parts),
        }
        self.recorded_html = ""
        """The recorder's copy of the last page; empty without a recorder."""

    @property
    def failure(self) -> SourceError | None:
        """The error of the source that failed on the last page, or None. The sources after it were not read."""
        return self._plugin_sources.failure

    async def read(self, page: Page, history: Sequence[tuple[Action, Outcome]] = ()) -> Observation:
        """Return the current page; raises InfrastructureError if it cannot be read."""
        return await self._read(page, None, history)

    async def settled(
        self,
        page: Page,
        traffic: Traffic,
        patience: float = SETTLE_TIMEOUT_S,
        loading: Loading = IDLE,
    ) -> Observation:
        """Return the page once it has settled, or after `patience` seconds; raises InfrastructureError."""
        text = await self._recorder.settled(page, traffic, patience, loading, **self._read_options)
        # More time only on a slow machine: a page that never settles must cost every agent the same two seconds.
        if text is None and patience > 0 and await is_slow(page):
            text = await self._recorder.settled(page, traffic, SLOW_FACTOR * patience, loading, **self._read_options)
            if text is None:
                # If the machine is still slow, the page may not be to blame.
                await check_pace(page, "the page")
        return await self._read(page, text, ())

    async def _read(self, page: Page, text: str | None, history: Sequence[tuple[Action, Outcome]]) -> Observation:
        """Return the observation in `text`, or else read the page, retrying if a navigation interrupts the read."""
        deadline = time.monotonic() + READ_TIMEOUT_S
        while True:
            try:
                text = text or await self._recorder.read(page, **self._read_options)
                if text is not None:
                    return await self._observation(page, json.loads(text), tuple(history), deadline)
            except PlaywrightError as error:
                if not torn(error) or time.monotonic() > deadline:
                    raise InfrastructureError(f"the page could not be read: {first_line(error)}") from error
            if time.monotonic() > deadline:
                raise InfrastructureError("the page could not be read: it has no document")
            # Discard everything read so far, so that parts of two pages are never mixed.
            text = None
            await asyncio.sleep(0.01)

    async def _observation(
        self, page: Page, page_read: dict[str, Any], history: tuple[tuple[Action, Outcome], ...], deadline: float
    ) -> Observation:
        recorded_html = page_read.get("copy", "")
        if recorded_html:
            # The agent's copy is derived from the recorded one, so that they cannot differ.
            page_read["html"] = html_for_agent(recorded_html)
            self._recorder.pass_on(page_read)
        fields = {part.field: await part.taken(page, page_read) for part in self._observation_parts}
        self.recorded_html = recorded_html
        return Observation(
            url=page_read["url"],
            history=history,
            tabs=(page_read["title"] or page_read["url"],),
            # Last, so that a plug-in's code cannot change the recorded page.
            sources=await self._plugin_sources.read(page, deadline),
            **fields,
        )
