"""The recorder: reads the pages of an episode in an isolated world, so that pages cannot notice or change it."""

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from stressweb.core.javascript import source
from stressweb.perturbations import key_maker
from stressweb.runner.browser.loading import IDLE, Loading, Traffic
from stressweb.runner.browser.settle import settle
from stressweb.sources.isolated_world import IsolatedWorld
from stressweb.sources.part import PLAIN, read_js

_DRAWN_JS = source(Path(__file__).with_name("drawn.js"))


class Perturber(Protocol):
    """Disturbs the pages that are read, and gets their reports."""

    @property
    def read_event(self) -> str:
        """Secret name of the event that announces a read."""

    @property
    def binding(self) -> str:
        """Name of the binding through which pages report to the browser; empty for none."""

    def begin_read(self) -> None:
        """Begin to take the documents of a page."""

    def take_binding_call(self, payload: str) -> None:
        """Take a report that came through the binding."""

    def attempts(self) -> Mapping[str, Mapping[str, int]]:
        """Return the numbers of attempts in the episode so far, by mode and key."""


class Recorded(Protocol):
    """The episode whose pages are read."""

    @property
    def perturber(self) -> Perturber:
        """Disturbs its pages."""

    @property
    def site(self) -> str:
        """The site's id, which is part of keys."""

    @property
    def hosts(self) -> Sequence[str]:
        """Hosts at which the site is served, which keys leave out."""

    @property
    def sites(self) -> Mapping[str, str]:
        """The id of the site at each host that the episode may visit."""

    def read(
        self,
        url: str,
        answer: Mapping[str, Any] | None,
        controls: Sequence[Sequence[str]],
        *,
        more_frames: bool = False,
    ) -> None:
        """Take the answer of the page's script to a read, and key, role and name of the controls that it reported.

        `more_frames`: further documents of the page will answer this read.
        """


def keyed_options(episode: Recorded) -> dict[str, object]:
    """Return the options of a read that an episode adds to `PLAIN`."""
    keyed = {"site": episode.site, "hosts": list(episode.hosts), "sites": dict(episode.sites)}
    perturber = episode.perturber
    return {"event": perturber.read_event, "keyed": keyed, "attempts": perturber.attempts()}


def pass_on(episode: Recorded, read: Mapping[str, Any]) -> None:
    """Pass a read, parsed from JSON, on to an episode."""
    episode.perturber.begin_read()
    origins = [(page["answer"] or {}).get("from") for page in read["documents"]]
    for count, page in enumerate(read["documents"], 1):
        more_frames = origins[count - 1] in origins[count:]
        episode.read(page["url"], page["answer"], page["controls"], more_frames=more_frames)


class Recorder:
    """Reads tabs. A read is JSON text with URL, title and document; on request with tags and boxes, and with the
    accessibility tree.

    With an episode, the document is the recorder's own copy, and an event in the page announces every read, in every
    condition. A read ends an entry into a field that is still going on.
    """

    def __init__(self, episode: Recorded | None = None) -> None:
        """Take the episode; without one, pages are read without announcement."""
        self._episode = episode
        self._worlds: dict[Page, IsolatedWorld] = {}
        self._is_disturbed = False
        """Whether a mode had changed the page that was last passed on."""

    async def attach(self, page: Page, session: CDPSession | None) -> None:
        """Use an existing session of a tab for reads, instead of opening another.

        From the tab's next document on, its pages can report through the binding.
        """
        if page in self._worlds or session is None:
            return
        # The tab may have closed.
        with contextlib.suppress(PlaywrightError):
            binding = "" if self._episode is None else self._episode.perturber.binding
            if binding:
                session.on("Runtime.bindingCalled", self._on_call)
            self._worlds[page] = await IsolatedWorld.of(page, session, binding)

    async def read(self, page: Page, *, measured: bool, tree: bool = False) -> str | None:
        """Return the current page, None without a document; raises PlaywrightError if a navigation interrupts it."""
        text: str | None = await (await self._world(page)).evaluate(*self._question(measured, tree))
        return text

    async def settled(
        self,
        page: Page,
        traffic: Traffic,
        patience: float,
        loading: Loading = IDLE,
        *,
        measured: bool,
        tree: bool = False,
    ) -> str | None:
        """Return the page once it has settled, None if it has not after `patience` seconds."""

        async def evaluate(function: str, argument: object) -> Any:
            return await (await self._world(page)).evaluate(function, argument)

        text: str | None = await settle(page, traffic, patience, *self._question(measured, tree), loading, evaluate)
        return text

    async def drawn(self, page: Page) -> None:
        """Wait until the browser has drawn the current page as it was read, at most 5 s; never for a hidden page."""
        # The tab may have closed.
        with contextlib.suppress(PlaywrightError):
            await (await self._world(page)).evaluate(_DRAWN_JS, self._is_disturbed)

    def pass_on(self, read: Mapping[str, Any]) -> None:
        """Pass a read, parsed from JSON, on to the episode."""
        self._is_disturbed = any((document["answer"] or {}).get("changed") for document in read["documents"])
        if self._episode is not None:
            pass_on(self._episode, read)

    def _on_call(self, event: Mapping[str, Any]) -> None:
        if self._episode is not None and event["name"] == self._episode.perturber.binding:
            self._episode.perturber.take_binding_call(event["payload"])

    def _question(self, measured: bool, tree: bool) -> tuple[str, dict[str, object]]:
        """Return the JavaScript function that reads the page, and its options."""
        function = read_js(tree=tree, keys=key_maker())
        options = {**PLAIN, "boxes": measured, "tree": tree}
        if self._episode is None:
            return function, options
        return function, {**options, **keyed_options(self._episode)}

    async def _world(self, page: Page) -> IsolatedWorld:
        if page not in self._worlds:
            # Drop closed tabs, since a long-lived recorder may read many.
            self._worlds = {open_page: world for open_page, world in self._worlds.items() if not open_page.is_closed()}
            self._worlds[page] = await IsolatedWorld.of(page)
        return self._worlds[page]
