"""Builds the steps of an episode from observed actions; each step has the page as it is when the next action begins."""

import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from stressweb.log.recording import Shown, StepRecord
from stressweb.plugins.actions import Action, Outcome
from stressweb.runner.browser.recorder import pass_on

if TYPE_CHECKING:
    # Imports mitmproxy, which takes a second.
    from stressweb.runner.world.world import EpisodeWorld

_BLANK = Shown("about:blank", "<!DOCTYPE html><html><head></head><body></body></html>")


class Steps:
    """The actions of a client so far, and the pages that it has seen."""

    def __init__(
        self,
        world: "EpisodeWorld",
        max_steps: int,
        on_step: Callable[[StepRecord], object],
        stop: Callable[[], object],
    ) -> None:
        """Take the episode; `stop` is called when an action begins after `max_steps` actions."""
        self._world, self._max_steps = world, max_steps
        self._on_step, self._stop = on_step, stop
        self._page: Shown | None = None
        """The last page that was read."""
        self._running: dict[str, Any] | None = None
        """The parameters of the current action."""
        self._start_s = time.monotonic()
        self._recorded = 0
        self.begun = 0
        """Number of actions that have begun."""
        self.spent = False
        """Whether an action began after `max_steps` actions."""

    def take(self, text: str) -> None:
        """Process a page that the recorder's script has read."""
        read = json.loads(text)
        # Ignore the browser's own pages, such as an error page or an empty tab.
        if read["url"].startswith("http"):
            pass_on(self._world, read)
            self._page = Shown.of(read["url"], read["copy"])

    def begin(self, action: Mapping[str, Any], page: str | None) -> None:
        """Begin an action; `page` was read right before it."""
        if page is not None:
            self.take(page)
        self._finish()
        if self.begun >= self._max_steps:
            self.spent = True
            self._stop()
            return
        self.begun += 1
        self._world.begin(self.begun)
        self._running, self._start_s = dict(action), time.monotonic()

    def change(self, parameters: Mapping[str, Any]) -> None:
        """Update the parameters of the current action."""
        if self._running is not None:
            self._running |= parameters

    def end(self, final: Action | None) -> None:
        """End the last action; `final` is the agent's claim, if any."""
        self._finish()
        if final is not None:
            self._keep(StepRecord(self._page or _BLANK, final, Outcome(ok=True)))

    def _finish(self) -> None:
        page = self._page or _BLANK
        if self._recorded == 0:
            self._keep(StepRecord(page))
        if self._running is not None:
            running, self._running = self._running, None
            self._keep(StepRecord(page, _action(running), Outcome(ok=True), time.monotonic() - self._start_s))

    def _keep(self, step: StepRecord) -> None:
        self._recorded += 1
        self._on_step(step)


def _action(parameters: Mapping[str, Any]) -> Action:
    """Return the parameters as an `Action`; replace invalid ones with a click that has only a selector."""
    try:
        return Action.model_validate(parameters)
    except ValidationError:
        return Action(kind="CLICK", selector=str(parameters.get("selector") or "html"))
