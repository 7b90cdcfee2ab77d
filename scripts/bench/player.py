"""Runs episodes for the bench, with everything that a worker does."""

from collections.abc import Iterable

from playwright.sync_api import Browser

from scripts.waited import Evidence, run_episode
from stressweb.core.conditions import CLEAN
from stressweb.core.errors import InfrastructureError
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation
from stressweb.plugins.site_world import now_of
from stressweb.runner.registry import Library
from stressweb.runner.registry.grading import Grader
from stressweb.runner.world.world import World


class Replay(Agent):
    """Replays actions, then claims to be done, so that the harness is measured and not an agent."""

    name = "replay"

    def __init__(self, actions: Iterable[Action]) -> None:
        """Take the actions in order."""
        self._remaining = iter(actions)

    def act(self, observation: Observation) -> Action:
        """Return the next action."""
        return next(self._remaining, Action(kind="DONE"))


def cell_of(task: str) -> Cell:
    """Return the cell of a task."""
    return Cell(agent="naive", task=task, condition=CLEAN.label, world=0)


class Player:
    """A world and a browser in which cells run under `clean`."""

    def __init__(self, browser: Browser, world: World, store: Store) -> None:
        """Take browser, world and store, which stay open for the whole measurement."""
        self.browser = browser
        self._world, self._store = world, store
        self._library = Library()
        self._grader = Grader(self._library)
        self._evidence = Evidence(browser)

    def play(self, task: str, agent: Agent, *, pictures: bool = False) -> EpisodeRecord:
        """Do everything that a worker does for a cell: open, run, record, grade, store.

        Raises InfrastructureError if the agent does not reach the goal, because the measurement would not be
        comparable.
        """
        cell = cell_of(task)
        site, goal = self._library.world(cell.site, cell.world), self._library.goal(cell.task, 0)
        episode = self._world.open(site, CLEAN, cell.seeds)
        try:
            limits = Limits(screenshots=pictures)
            record: EpisodeRecord = run_episode(
                cell, goal, agent, episode, self.browser, self._evidence, limits, now_of(site)
            )
        finally:
            episode.close()
        if record.status != "done":
            raise InfrastructureError(f"{cell.key} ended as {record.status}: {record.message}")
        record.grade = self._grader.grade(record)
        self._store.save(record)
        if not record.grade.success:
            raise InfrastructureError(f"{cell.key} did not reach its goal in clean: nothing comparable to measure")
        return record

    def close(self) -> None:
        """Close the page for evidence."""
        self._evidence.close()
