"""One read of the settled page, the same for the recorder and for the agent."""

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
from stressweb.html.annotated import agents_copy
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Observation
from stressweb.runner.browser.loading import IDLE, Loading
from stressweb.runner.browser.pace import check_pace, is_slow
from stressweb.runner.browser.recorder import Recorder
from stressweb.runner.browser.settle import Traffic, torn
from stressweb.runner.browser.sources import Charged, SourceError, SourceReader
from stressweb.sources import SHIPPED, source
from stressweb.sources.part import Part

READ_TIMEOUT_S = 10.0
"""Seconds for which a read is tried again because a navigation tore the page away under it."""
MORE = 5
"""How many times as long a page has on a slow machine."""


class Observer:
    """Reads the pages of one episode, with the values of every observation source."""

    def __init__(
        self,
        wants: frozenset[str] = frozenset(),
        charged: Charged = lambda seconds: nullcontext(),
        recorder: Recorder | None = None,
    ) -> None:
        """Take the names of the sources that the observations must hold beyond the document.

        `charged` counts the time that the sources of plug-ins take as the agent's. Without a `recorder`, reads are not
        announced to the page. Raises UserError for an unknown source.
        """
        self._recorder = recorder or Recorder()
        # Sorted, because a set of texts has another order in every process, and pages should be read in the same one.
        kinds = [source(name) for name in sorted(wants | {"dom"})]
        # By name: a plug-in's source that is derived from a built-in one fills no field of the observation.
        self._parts = [kind() for kind in kinds if kind.name in SHIPPED and issubclass(kind, Part)]
        self._sources = SourceReader([kind for kind in kinds if kind.name not in SHIPPED], charged)
        self._extras = {
            "measured": any(part.measured for part in self._parts),
            "tree": any(part.written for part in self._parts),
        }
        self.copy = ""
        """The recorder's own copy of the page that was read last; empty if nobody records."""

    @property
    def failure(self) -> SourceError | None:
        """Why a source failed on the last page; the sources after it have no value either. None if none failed."""
        return self._sources.failure

    async def read(self, page: Page, history: Sequence[tuple[Action, Outcome]] = ()) -> Observation:
        """Return the page as it is now; raises InfrastructureError if it cannot be read."""
        return await self._read(page, None, history)

    async def settled(
        self,
        page: Page,
        traffic: Traffic,
        patience: float = SETTLE_TIMEOUT_S,
        loading: Loading = IDLE,
    ) -> Observation:
        """Return the page as it is when it has settled, or after `patience` seconds; raises InfrastructureError."""
        text = await self._recorder.settled(page, traffic, patience, loading, **self._extras)
        # Only a slow machine earns more time. A page that never settles must cost every agent the same two seconds.
        if text is None and patience > 0 and await is_slow(page):
            # On a slow machine a page gets more time before it is read as it is.
            text = await self._recorder.settled(page, traffic, MORE * patience, loading, **self._extras)
            if text is None:
                # If the machine is slow even now, what is missing may be its fault and not the page's.
                await check_pace(page, "the page")
        return await self._read(page, text, ())

    async def _read(self, page: Page, text: str | None, history: Sequence[tuple[Action, Outcome]]) -> Observation:
        """Return a read that was made, else make one; a navigation may take the page away under it: then again."""
        deadline = time.monotonic() + READ_TIMEOUT_S
        while True:
            try:
                text = text or await self._recorder.read(page, **self._extras)
                if text is not None:
                    return await self._observation(page, json.loads(text), tuple(history), deadline)
            except PlaywrightError as error:
                if not torn(error) or time.monotonic() > deadline:
                    raise InfrastructureError(f"the page could not be read: {first_line(error)}") from error
            if time.monotonic() > deadline:
                raise InfrastructureError("the page could not be read: it has no document")
            # Whatever was read of a page that is gone is thrown away as a whole: half of one page must not stand beside
            # half of another.
            text = None
            await asyncio.sleep(0.01)

    async def _observation(
        self, page: Page, read: dict[str, Any], history: tuple[tuple[Action, Outcome], ...], deadline: float
    ) -> Observation:
        copy = read.get("copy", "")
        if copy:
            # What the agent gets is taken out of what is recorded, so that the two cannot differ.
            read["html"] = agents_copy(copy)
            self._recorder.found(read)
        fields = {part.field: await part.taken(page, read) for part in self._parts}
        self.copy = copy
        return Observation(
            url=read["url"],
            history=history,
            tabs=(read["title"] or read["url"],),
            # Last, so that the code of a plug-in cannot change what is recorded of the page.
            sources=await self._sources.read(page, deadline),
            **fields,
        )
