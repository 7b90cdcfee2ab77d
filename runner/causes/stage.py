"""Plays episodes for the search for causes, with a world and a browser in this process, without storing them."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

from stressweb.core.conditions import Condition
from stressweb.core.errors import InfrastructureError
from stressweb.core.injections import AllowedInjections
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.plugins.agent import Agent
from stressweb.runner.episode.loop import OnStep
from stressweb.runner.episode.playground import Playground, playground
from stressweb.runner.registry import Library
from stressweb.runner.registry.grading import Grader

_MAX_TRIES = 2
"""Maximum number of tries of an episode with infrastructure errors."""

type OnEpisode = Callable[[EpisodeRecord], None]
type Run = Callable[[Coroutine[Any, Any, Any]], Any]
"""Runs a coroutine on the event loop of the browser and returns its result."""


class CauseStage:
    """Plays cells one after the other, with the same code as a run."""

    def __init__(self, ground: Playground, limits: Limits, library: Library, on_episode: OnEpisode, run: Run) -> None:
        """Take a browser and a world, which the caller must close.

        `on_episode` gets every episode. `run` runs coroutines on the browser's event loop.
        """
        self._wait = run
        self.library = library
        self._ground, self._limits = ground, limits
        self._listeners = [on_episode]
        self._grader = Grader(library)

    @contextlib.contextmanager
    def reporting_to(self, on_episode: OnEpisode) -> Iterator[None]:
        """Also call `on_episode` with every episode of the block, including those with infrastructure errors."""
        self._listeners.append(on_episode)
        try:
            yield
        finally:
            self._listeners.remove(on_episode)

    def play(
        self,
        cell: Cell,
        condition: Condition,
        make_agent: Callable[[], Agent],
        allowed_injections: AllowedInjections | None = None,
        on_step: OnStep = lambda step: None,
    ) -> EpisodeRecord:
        """Return a graded episode of the agent from `make_agent`, under `condition` instead of the cell's own.

        `on_step` gets each step once it is recorded, before the agent acts on it. An episode with an infrastructure
        error is played once more. Raises InfrastructureError if it fails again, or if a mode makes an injection that
        was held back.
        """
        for _ in range(_MAX_TRIES):
            if allowed_injections is not None:
                # Discard the injections of a failed try.
                allowed_injections.restart()
            record = self._run(cell, condition, make_agent, allowed_injections, on_step)
            for on_episode in self._listeners:
                on_episode(record)
            if record.status != "error":
                break
        else:
            raise InfrastructureError(f"an episode of {cell.key} failed {_MAX_TRIES} times: {record.message}")
        if allowed_injections is not None and (fired_though_blocked := allowed_injections.fired_though_blocked):
            held_back = " ".join(fired_though_blocked[0][1:])
            raise InfrastructureError(
                f"mode {fired_though_blocked[0][0]} made an injection that was held back: {held_back}"
            )
        record.grade = self._grader.grade(record)
        return record

    def _run(
        self,
        cell: Cell,
        condition: Condition,
        make_agent: Callable[[], Agent],
        allowed_injections: AllowedInjections | None,
        on_step: OnStep,
    ) -> EpisodeRecord:
        site = self.library.world_of(cell.task, cell.world)
        goal = self.library.goal(cell.task, cell.world)
        episode = self._ground.play(
            cell,
            site,
            goal,
            condition,
            make_agent,
            self._limits,
            allowed_injections=allowed_injections,
            on_step=on_step,
        )
        record: EpisodeRecord = self._wait(episode)
        return record


@contextlib.contextmanager
def staged(
    limits: Limits, library: Library, on_episode: OnEpisode, browser: Path | None = None
) -> Iterator[CauseStage]:
    """Start world and browser, and close both at the end."""
    with contextlib.ExitStack() as stack:
        run = stack.enter_context(asyncio.Runner()).run
        async_stack = contextlib.AsyncExitStack()
        stack.callback(lambda: run(async_stack.aclose()))
        ground = run(async_stack.enter_async_context(playground(browser)))
        yield CauseStage(ground, limits, library, on_episode, run)
