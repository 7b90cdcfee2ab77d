"""What a tab is about to load: known from the browser itself, before a request has reached anybody."""

from typing import Any

from playwright.sync_api import CDPSession

_BEGIN = ("frameScheduledNavigation", "frameStartedLoading")
_END = {"frameClearedScheduledNavigation": "frameScheduledNavigation", "frameStoppedLoading": "frameStartedLoading"}


class Loading:
    """The navigations of one tab that have begun and not ended, those of its frames among them.

    The request of a navigation reaches the proxy some time after the click that caused it, on a busy machine later than
    two animation frames. The browser tells of the navigation before it draws the next frame.
    """

    def __init__(self, session: CDPSession) -> None:
        """Listen to a session of the tab."""
        self._under_way: set[tuple[str, str]] = set()
        for event in _BEGIN:
            session.on(f"Page.{event}", lambda told, event=event: self._under_way.add((event, told["frameId"])))
        for event, begun in _END.items():
            session.on(f"Page.{event}", lambda told, begun=begun: self._ended(begun, told))
        session.send("Page.enable")

    def __bool__(self) -> bool:
        """Whether anything is on its way."""
        return bool(self._under_way)

    def _ended(self, begun: str, told: dict[str, Any]) -> None:
        self._under_way.discard((begun, told["frameId"]))
