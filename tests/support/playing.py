"""Episodes in this process, through the same functions as a worker's, for the laws about whole episodes."""

import re
from collections.abc import Sequence
from functools import cache

from playwright.sync_api import Browser

from scripts.waited import Evidence, run_episode
from stressweb.core import draws
from stressweb.core.conditions import UNTESTED
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.perturbations import MODES
from stressweb.plugins.agent import Agent
from stressweb.plugins.query import Run
from stressweb.plugins.site_world import SiteWorld, now_of
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.runner.agents import make
from stressweb.runner.registry import Library
from stressweb.runner.registry.grading import Grader
from stressweb.runner.world.world import World
from tests.support.plans import condition


class Player:
    """Plays cells of the plan, and cells whose agent gets other steps than the trajectory's."""

    def __init__(self, browser: Browser, world: World) -> None:
        """Take a running browser and world, which the caller closes."""
        self.library = Library()
        self.grader = Grader(self.library)
        self._browser, self._world = browser, world
        self._evidence = Evidence(browser)
        self.recall = cache(self.__call__)
        """The same with a cache: each cell is played once."""

    def __call__(
        self,
        agent: str | Agent,
        task: str,
        label: str = "clean",
        world_seed: int = 0,
        stress_seed: int = 0,
        *,
        epoch: int = 0,
        way: int = 0,
        steps: Sequence[Step] | None = None,
        max_steps: int = 100,
    ) -> EpisodeRecord:
        """Return the graded record of one episode; an episode in error fails the test.

        `task` is an id such as `shop/profile`, `label` one condition, `way` the number of the trajectory that the
        agent gets, `steps` replaces it.
        """
        name = agent if isinstance(agent, str) else agent.name
        stress = None if label in UNTESTED else stress_seed
        cell = Cell(agent=name, task=task, condition=label, world=world_seed, stress=stress, epoch=epoch)
        goal = self.goal(task, world_seed)
        agent_goal = goal.model_copy(update={"ways": (goal.ways[way] if steps is None else tuple(steps),)})
        site = self.site(task, world_seed)
        episode = self._world.open(site, condition(label), cell.seeds)
        try:
            record: EpisodeRecord = run_episode(
                cell,
                agent_goal,
                make(agent) if isinstance(agent, str) else agent,
                episode,
                self._browser,
                self._evidence,
                Limits(max_steps=max_steps),
                now_of(site),
            )
        finally:
            episode.close()
        assert record.status != "error", f"{cell.key}: {record.message}"
        broke = [entry for entry in record.ledger if entry.phase in ("fault", "blocked")]
        assert not broke, f"{cell.key}: {broke}\n{record.traceback}"
        record.grade = self.grader.grade(record)
        return record

    def goal(self, task: str, world_seed: int = 0) -> Goal:
        """Return a task's goal in one world."""
        return self.library.goal(task, world_seed)

    def site(self, task: str, world_seed: int = 0) -> SiteWorld:
        """Return the site of a task, or the sites of a chain, in one world."""
        return self.library.world_of(task, world_seed)

    def run(self, record: EpisodeRecord) -> Run:
        """Return the run of an episode that its checkpoints grade."""
        return self.grader.run(record, self.goal(record.cell.task, record.cell.world))

    def close(self) -> None:
        """Close the tab of the evidence pages."""
        self._evidence.close()


def conditions(severity: int) -> tuple[str, ...]:
    """Return every mode alone, and one mixture, at a severity."""
    first, second = ("failure", "noise") if "noise" in MODES else ("remap", "failure")
    return (*(f"{mode}@{severity}" for mode in MODES), f"{first}@{severity}+{second}@{severity}")


def two_of(labels: Sequence[str], seed: int, task: str) -> list[str]:
    """Return the two conditions that `make test` plays a task under; `make audit` plays all of them."""
    return sorted(labels, key=lambda label: draws.unit("some", seed, task, label))[:2]


def summary_of(record: EpisodeRecord) -> str:
    """Summarise an episode in a few lines, for the message of a failed test."""
    grade = record.grade
    head = f"{record.cell.key}: {record.status}, {record.message}"
    missed = [] if grade is None else [name for name, passed in grade.passed.items() if not passed]
    harmed = [] if grade is None else [name for name, done in grade.harms.items() if done]
    verdict = None if grade is None else grade.unmet or grade.verdict
    done = [(step.action.model_dump(exclude_defaults=True), step.outcome) for step in record.steps if step.action]
    tail = [f"  {action} -> {outcome}" for action, outcome in done[-4:]]
    return "\n".join([head, f"  missed: {missed}, harmed: {harmed}, verdict by database: {verdict}", *tail])


def without_progress(errors: str) -> str:
    """Return the standard error of a run without its progress lines."""
    return re.sub(r"^stressweb: \d+ of \d+ episodes done, .*\n", "", errors, flags=re.MULTILINE)
