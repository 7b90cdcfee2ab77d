"""Plays episodes to find a cause: with a world and a browser in this process, and without storing anything."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

from stressweb.core.conditions import Condition
from stressweb.core.errors import InfrastructureError
from stressweb.core.injections import Allowed
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.plugins.agent import Agent
from stressweb.runner.episode.loop import OnStep
from stressweb.runner.episode.playground import Playground, playground
from stressweb.runner.registry import Library
from stressweb.runner.registry.grading import Grader

_MAX_TRIES = 2
"""How often an episode is played if infrastructure fails in it."""

type OnEpisode = Callable[[EpisodeRecord], None]
type Run = Callable[[Coroutine[Any, Any, Any]], Any]
"""Runs a coroutine on the event loop of the browser and returns its result."""


class Stage:
    """Plays cells by the same code as a run does, one after the other."""

    def __init__(self, ground: Playground, limits: Limits, library: Library, on_episode: OnEpisode, run: Run) -> None:
        """Take a browser and a world, which the caller closes, and a function that runs coroutines on the browser's
        loop.

        `on_episode` gets every episode.
        """
        self._wait = run
        self.library = library
        self._ground, self._limits = ground, limits
        self._listeners = [on_episode]
        self._grader = Grader(library)

    @contextlib.contextmanager
    def reporting_to(self, on_episode: OnEpisode) -> Iterator[None]:
        """Call `on_episode` with every episode of the block, too, including those in which infrastructure failed."""
        self._listeners.append(on_episode)
        try:
            yield
        finally:
            self._listeners.remove(on_episode)

    def play(
        self,
        cell: Cell,
        condition: Condition,
        make: Callable[[], Agent],
        allowed: Allowed | None = None,
        on_step: OnStep = lambda step: None,
    ) -> EpisodeRecord:
        """Return one graded episode of the agent that `make` returns, under `condition`, whatever the cell says.

        `on_step` gets each step once it is recorded, before the agent acts on it.

        An episode in which infrastructure fails is played once more. Raises InfrastructureError if it fails again, or
        if a mode disturbs something that was held back.
        """
        for _ in range(_MAX_TRIES):
            if allowed is not None:
                # Discards the injections that an earlier, failed try recorded.
                allowed.restart()
            record = self._run(cell, condition, make, allowed, on_step)
            for on_episode in self._listeners:
                on_episode(record)
            if record.status != "error":
                break
        else:
            raise InfrastructureError(f"an episode of {cell.key} failed {_MAX_TRIES} times: {record.message}")
        if allowed is not None and (strays := allowed.strays):
            raise InfrastructureError(f"mode {strays[0][0]} disturbs what was held back: {' '.join(strays[0][1:])}")
        record.grade = self._grader.grade(record)
        return record

    def _run(
        self, cell: Cell, condition: Condition, make: Callable[[], Agent], allowed: Allowed | None, on_step: OnStep
    ) -> EpisodeRecord:
        site = self.library.world_of(cell.task, cell.world)
        goal = self.library.goal(cell.task, cell.world)
        played = self._ground.play(cell, site, goal, condition, make, self._limits, allowed=allowed, on_step=on_step)
        record: EpisodeRecord = self._wait(played)
        return record


@contextlib.contextmanager
def staged(limits: Limits, library: Library, on_episode: OnEpisode, browser: Path | None = None) -> Iterator[Stage]:
    """Start world and browser, and always end both."""
    with contextlib.ExitStack() as stack:
        run = stack.enter_context(asyncio.Runner()).run
        opened = contextlib.AsyncExitStack()
        stack.callback(lambda: run(opened.aclose()))
        ground = run(opened.enter_async_context(playground(browser)))
        yield Stage(ground, limits, library, on_episode, run)
