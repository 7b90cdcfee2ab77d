"""The recorder: it reads the pages of an episode in a world of its own, so that no page notices or changes it."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from stressweb.perturbations import key_maker
from stressweb.runner.browser.loading import IDLE, Loading
from stressweb.runner.browser.settle import Traffic, settle
from stressweb.sources.isolated_world import IsolatedWorld
from stressweb.sources.part import PLAIN, read_js

# Keys of controls, which only the recorder wants.
# The second frame begins when the first one has been drawn.
_DRAWN_JS = """() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(done));
  setTimeout(done, 200);
})"""


class Perturber(Protocol):
    """What disturbs the pages that are read, and hears of it."""

    @property
    def read_event(self) -> str:
        """Name of the event that announces a read, which no page knows."""

    @property
    def binding(self) -> str:
        """Name of the function by which the browser takes reports of its pages; empty for none."""

    def take_call(self, payload: str) -> None:
        """Take a report that the browser took."""

    def attempts(self) -> Mapping[str, Mapping[str, int]]:
        """Return the attempts of the episode so far, by mode and key."""


class Recorded(Protocol):
    """The episode whose pages are read."""

    @property
    def perturber(self) -> Perturber:
        """What disturbs its pages."""

    @property
    def site(self) -> str:
        """The site's id, on which keys depend."""

    @property
    def hosts(self) -> Sequence[str]:
        """Hosts at which the site is served, on which no key depends."""

    @property
    def sites(self) -> Mapping[str, str]:
        """The id of the site at each host that the episode may visit."""

    def read(
        self, url: str, answer: Mapping[str, Any] | None, controls: Sequence[Sequence[str]], *, more: bool = False
    ) -> None:
        """Take what the page's script answered to a read, and key, role and name of the controls that it found.

        `more` says that parts of the page answer this read after it.
        """


def keyed_options(episode: Recorded) -> dict[str, object]:
    """Return the options of a read, besides `PLAIN`, that an episode sets."""
    keyed = {"site": episode.site, "hosts": list(episode.hosts), "sites": dict(episode.sites)}
    perturber = episode.perturber
    return {"event": perturber.read_event, "keyed": keyed, "attempts": perturber.attempts()}


def pass_on(episode: Recorded, read: Mapping[str, Any]) -> None:
    """Tell an episode what a read found, as it was read from JSON."""
    origins = [(page["answer"] or {}).get("from") for page in read["documents"]]
    for count, page in enumerate(read["documents"], 1):
        more = origins[count - 1] in origins[count:]
        episode.read(page["url"], page["answer"], page["controls"], more=more)


class Recorder:
    """Reads tabs; each read is a text of JSON with URL, title and document, with tags and boxes if they are measured,
    and with the accessibility tree if it is asked for.

    Of an episode the document comes in the recorder's own copy, and every read is announced in the page by an event, in
    every condition alike. It ends an entry that is still running.
    """

    def __init__(self, episode: Recorded | None = None) -> None:
        """Take the episode; without one, pages are read as they stand."""
        self._episode = episode
        self._worlds: dict[Page, IsolatedWorld] = {}

    async def attach(self, page: Page, session: CDPSession | None) -> None:
        """Take a session that a tab already has, so that reading the tab opens no other one.

        From its next document on, the browser takes the reports of the tab's pages.
        """
        if page in self._worlds or session is None:
            return
        # The tab may have closed by now.
        with contextlib.suppress(PlaywrightError):
            binding = "" if self._episode is None else self._episode.perturber.binding
            if binding:
                session.on("Runtime.bindingCalled", self._called)
            self._worlds[page] = await IsolatedWorld.of(page, session, binding)

    async def read(self, page: Page, *, measured: bool, tree: bool = False) -> str | None:
        """Return the page as it is now, None without a document; raises PlaywrightError if a navigation takes it."""
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
        """Return the page as it is when it has settled, None if it has not after `patience` seconds."""

        async def asked(function: str, argument: object) -> Any:
            return await (await self._world(page)).evaluate(function, argument)

        text: str | None = await settle(page, traffic, patience, *self._question(measured, tree), loading, asked)
        return text

    async def drawn(self, page: Page) -> None:
        """Wait until the browser has drawn the page as it is now; not for long, as a hidden one is never drawn."""
        # A tab that closes has no picture either.
        with contextlib.suppress(PlaywrightError):
            await (await self._world(page)).evaluate(_DRAWN_JS)

    def found(self, read: Mapping[str, Any]) -> None:
        """Tell the episode what a read found, as it was read from JSON."""
        if self._episode is not None:
            pass_on(self._episode, read)

    def _called(self, event: Mapping[str, Any]) -> None:
        if self._episode is not None and event["name"] == self._episode.perturber.binding:
            self._episode.perturber.take_call(event["payload"])

    def _question(self, measured: bool, tree: bool) -> tuple[str, dict[str, object]]:
        """Return the function that reads, and its options."""
        function = read_js(tree=tree, keys=key_maker())
        options = {**PLAIN, "boxes": measured, "tree": tree}
        if self._episode is None:
            return function, options
        return function, {**options, **keyed_options(self._episode)}

    async def _world(self, page: Page) -> IsolatedWorld:
        if page not in self._worlds:
            # A run may open many tabs, and a warm page many documents: of those that have closed, nothing is kept.
            self._worlds = {open_page: world for open_page, world in self._worlds.items() if not open_page.is_closed()}
            self._worlds[page] = await IsolatedWorld.of(page)
        return self._worlds[page]
