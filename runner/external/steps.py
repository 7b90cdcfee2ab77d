"""The steps of an episode whose actions are observed: each with the page as it is when the next one begins."""

import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from runner.browser.recorder import pass_on
from stressweb.log.recording import Shown, StepRecord
from stressweb.plugins.actions import Action, Outcome

if TYPE_CHECKING:
    # It brings mitmproxy, which takes a second to import.
    from runner.world.world import EpisodeWorld

_BLANK = Shown("about:blank", "<!DOCTYPE html><html><head></head><body></body></html>")


class Steps:
    """What a client has done so far, and what it has seen."""

    def __init__(
        self,
        world: "EpisodeWorld",
        max_steps: int,
        on_step: Callable[[StepRecord], object],
        stop: Callable[[], object],
    ) -> None:
        """Take the episode; `stop` is called when an action begins after `max_steps` of them."""
        self._world, self._max_steps = world, max_steps
        self._on_step, self._stop = on_step, stop
        self._page: Shown | None = None
        """The page that was read last."""
        self._running: dict[str, Any] | None = None
        """The parameters of the action that began last."""
        self._since = time.monotonic()
        self._recorded = 0
        self.begun = 0
        """How many actions have begun."""
        self.spent = False
        """Whether an action began after the last one that there may be."""

    def take(self, text: str) -> None:
        """Take a page, as the recorder's script reads it."""
        read = json.loads(text)
        # The browser's own pages, such as an error page or an empty tab, are not the site's.
        if read["url"].startswith("http"):
            pass_on(self._world, read)
            self._page = Shown.of(read["url"], read["copy"])

    def begin(self, action: Mapping[str, Any], page: str | None) -> None:
        """Begin an action, given by its parameters, on a page that was read right before it."""
        if page is not None:
            self.take(page)
        self._finish()
        if self.begun >= self._max_steps:
            self.spent = True
            self._stop()
            return
        self.begun += 1
        self._world.begin(self.begun)
        self._running, self._since = dict(action), time.monotonic()

    def change(self, parameters: Mapping[str, Any]) -> None:
        """Take what is known now of the action that runs."""
        if self._running is not None:
            self._running |= parameters

    def end(self, final: Action | None) -> None:
        """End the last action; `final` is what the agent claims, if it claims anything."""
        self._finish()
        if final is not None:
            self._keep(StepRecord(self._page or _BLANK, final, Outcome(ok=True)))

    def _finish(self) -> None:
        page = self._page or _BLANK
        if self._recorded == 0:
            self._keep(StepRecord(page))
        if self._running is not None:
            running, self._running = self._running, None
            self._keep(StepRecord(page, _action(running), Outcome(ok=True), time.monotonic() - self._since))

    def _keep(self, step: StepRecord) -> None:
        self._recorded += 1
        self._on_step(step)


def _action(parameters: Mapping[str, Any]) -> Action:
    """Return what was done as an action; what no action can say is kept as a click without further parameters."""
    try:
        return Action.model_validate(parameters)
    except ValidationError:
        return Action(kind="CLICK", selector=str(parameters.get("selector") or "html"))
