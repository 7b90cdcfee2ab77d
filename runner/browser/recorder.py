"""The recorder: it reads the pages of an episode in a world of its own, so that no page notices or changes it."""

from typing import Any

from playwright.sync_api import CDPSession, Page

from runner.browser.loading import IDLE, Loading
from runner.browser.settle import Traffic, settle
from runner.observations.isolated_world import IsolatedWorld
from runner.observations.part import READ_JS


class Recorder:
    """Reads tabs; each read is a text of JSON: URL, title and document, with tags and boxes if elements are measured.

    Every read is announced in the page by an event, in every condition alike. It ends an entry that is still running.
    """

    def __init__(self, event: str = "") -> None:
        """Take the name of the event, which no page knows; without one, reads are not announced."""
        self._event = event
        self._worlds: dict[Page, IsolatedWorld] = {}

    def attach(self, page: Page, session: CDPSession | None) -> None:
        """Take a session that a tab already has, so that reading the tab opens no other one."""
        if page not in self._worlds and session is not None:
            self._worlds[page] = IsolatedWorld(page, session)

    def read(self, page: Page, *, measured: bool) -> str | None:
        """Return the page as it is now, None without a document; raises PlaywrightError if a navigation takes it."""
        text: str | None = self._world(page).evaluate(READ_JS, self._options(measured))
        return text

    def settled(
        self, page: Page, traffic: Traffic, patience: float, loading: Loading = IDLE, *, measured: bool
    ) -> str | None:
        """Return the page as it is when it has settled, None if it has not after `patience` seconds."""

        def asked(function: str, argument: object) -> Any:
            return self._world(page).evaluate(function, argument)

        text: str | None = settle(page, traffic, patience, READ_JS, self._options(measured), loading, asked)
        return text

    def _options(self, measured: bool) -> dict[str, object]:
        return {"event": self._event, "boxes": measured}

    def _world(self, page: Page) -> IsolatedWorld:
        if page not in self._worlds:
            # A run may open many tabs, and a warm page many documents: of those that have closed, nothing is kept.
            self._worlds = {one: world for one, world in self._worlds.items() if not one.is_closed()}
            self._worlds[page] = IsolatedWorld(page)
        return self._worlds[page]
