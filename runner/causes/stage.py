"""Plays episodes to find a cause: with a world and a browser in this process, and without storing anything."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

from playwright.async_api import Browser

from runner.browser import driver
from runner.browser.context import now_of
from runner.browser.install import find_browser
from runner.episode.evidence import Evidence
from runner.episode.loop import OnStep, run_episode
from runner.registry import Library
from runner.registry.grading import Grader
from runner.world.world import World
from stressweb.core.conditions import Condition
from stressweb.core.errors import InfrastructureError
from stressweb.core.injections import Allowed
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.plugins.agent import Agent

_TRIES = 2
"""How often an episode is played if infrastructure fails in it."""

type Heard = Callable[[EpisodeRecord], None]
type Run = Callable[[Coroutine[Any, Any, Any]], Any]
"""Runs a coroutine on the event loop of the browser and returns its result."""


class Stage:
    """Plays cells by the same code as a run does, one after the other."""

    def __init__(
        self, world: World, browser: Browser, limits: Limits, library: Library, heard: Heard, run: Run
    ) -> None:
        """Take a running world and a browser, which stay the caller's, and what runs coroutines on its loop.

        `heard` gets every episode.
        """
        self._wait = run
        self.library = library
        self._world, self._browser, self._limits = world, browser, limits
        self._heard = [heard]
        self._grader = Grader(library)
        self._evidence = Evidence(browser)

    @contextlib.contextmanager
    def heard_by(self, heard: Heard) -> Iterator[None]:
        """Have `heard` get every episode of the body, too, those in which infrastructure failed included."""
        self._heard.append(heard)
        try:
            yield
        finally:
            self._heard.remove(heard)

    def play(
        self,
        cell: Cell,
        condition: Condition,
        make: Callable[[], Agent],
        allowed: Allowed | None = None,
        on_step: OnStep = lambda step: None,
    ) -> EpisodeRecord:
        """Return one graded episode of an agent, made by `make`, under a condition, whatever the cell's are.

        `on_step` gets each step when it has been recorded, before the agent acts on it.

        An episode in which infrastructure fails is played once more. Raises InfrastructureError if it fails again, or
        if a mode disturbs what it was told not to.
        """
        for _ in range(_TRIES):
            if allowed is not None:
                # Discards what an earlier try recorded before the infrastructure failed.
                allowed.restart()
            record = self._run(cell, condition, make, allowed, on_step)
            for heard in self._heard:
                heard(record)
            if record.status != "error":
                break
        else:
            raise InfrastructureError(f"an episode of {cell.key} failed {_TRIES} times: {record.message}")
        if allowed is not None and (strays := allowed.strays):
            raise InfrastructureError(f"mode {strays[0][0]} disturbs what was held back: {' '.join(strays[0][1:])}")
        record.grade = self._grader.grade(record)
        return record

    def close(self) -> None:
        """Close what is kept warm; world and browser stay."""
        self._wait(self._evidence.close())

    def _run(
        self, cell: Cell, condition: Condition, make: Callable[[], Agent], allowed: Allowed | None, on_step: OnStep
    ) -> EpisodeRecord:
        site = self.library.world_of(cell.task, cell.world)
        goal = self.library.goal(cell.task, cell.world)
        episode = self._world.open(site, condition, cell.seeds, cell.mark_key, allowed)
        try:
            played = run_episode(
                cell, goal, make, episode, self._browser, self._evidence, self._limits, now_of(site), on_step=on_step
            )
            record: EpisodeRecord = self._wait(played)
            return record
        finally:
            episode.close()


@contextlib.contextmanager
def staged(limits: Limits, library: Library, heard: Heard, browser: Path | None = None) -> Iterator[Stage]:
    """Start world and browser, and end both whatever happens."""
    path = browser or find_browser().path
    with contextlib.ExitStack() as stack:
        run = stack.enter_context(asyncio.Runner()).run
        opened = contextlib.AsyncExitStack()
        stack.callback(lambda: run(opened.aclose()))
        playwright = run(opened.enter_async_context(driver.playwright()))
        shown = run(driver.launch(playwright, path))
        stack.callback(lambda: run(_close(shown)))
        world = World()
        stack.callback(world.close)
        stage = Stage(world, shown, limits, library, heard, run)
        # Ended in reverse order: what the stage keeps warm lives in the browser.
        stack.callback(stage.close)
        yield stage


async def _close(browser: Browser) -> None:
    # It may have crashed, which is why an episode failed, and then there is nothing to close.
    if browser.is_connected():
        await browser.close()
