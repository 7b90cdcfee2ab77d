"""Law 9: infrastructure is not the agent. Failures of ours are errors: excluded from both arms, counted, shown."""

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, ClassVar, NoReturn

import pytest
from playwright.sync_api import Browser

from scripts.waited import Evidence, run_episode
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.core.draws import Seeds
from stressweb.core.errors import InfrastructureError
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.perturbations.remap import Remap
from stressweb.perturbations.remap.rule import RemapRule
from stressweb.plugins.checks import Checks, checklist, checks
from stressweb.plugins.query import Run
from stressweb.plugins.site_world import SiteWorld, now_of
from stressweb.plugins.task import Goal
from stressweb.runner.agents import make
from stressweb.runner.registry import MODES, Library
from stressweb.runner.registry.grading import Grader
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support.plans import condition
from tests.support.wrapped_site import WrappedSite

TASK = "shop/two-of-a-named-product"


class Episodes:
    """Runs episodes, failing ones included."""

    def __init__(self, browser: Browser, world: World) -> None:
        self.browser, self.world, self.library = browser, world, Library()

    def run(
        self,
        label: str,
        site: SiteWorld | None = None,
        prepare: Callable[[EpisodeWorld], object] = lambda episode: None,
    ) -> EpisodeRecord:
        """Run an episode, on the shop or another site; `prepare` gets the open episode before it runs."""
        cell = Cell(agent="naive", task=TASK, condition=label, world=0, stress=0)
        site, goal = site or self.library.world("shop", 0), self.library.goal(TASK, 0)
        episode = self.world.open(site, condition(label), cell.seeds)
        evidence = Evidence(self.browser)
        prepare(episode)
        try:
            record: EpisodeRecord = run_episode(
                cell, goal, make("naive"), episode, self.browser, evidence, Limits(), now_of(site)
            )
        finally:
            evidence.close()
            episode.close()
        return record


@pytest.fixture
def episodes(browser: Browser, world: World) -> Episodes:
    return Episodes(browser, world)


def broken(*_: object) -> NoReturn:
    raise RuntimeError("planted")


class Breaking(Remap):
    """A mode that raises when it is needed."""

    mode: ClassVar[str] = "breaking"

    def rule(self, seeds: Seeds) -> RemapRule:
        """Raise."""
        broken()


@pytest.mark.usefixtures("isolated_plugins")
def test_an_exception_of_a_mode_is_an_error(episodes: Episodes) -> None:
    MODES.add("breaking", Breaking, "here")
    record = episodes.run("breaking@3")
    assert (record.status, record.claim) == ("error", "none")
    assert "planted" in record.message
    assert "in broken" in record.traceback


class BrokenWatcher:
    """A watcher of an episode that raises at each report."""

    loaded = staticmethod(lambda path: None)
    changed = decided = staticmethod(broken)


def test_an_exception_in_taking_a_report_is_an_error(episodes: Episodes) -> None:
    def watch(episode: EpisodeWorld) -> None:
        episode.perturber.watcher = BrokenWatcher()

    record = episodes.run("remap@5", prepare=watch)
    assert record.status == "error"
    assert "planted" in record.message


class BrokenSite(WrappedSite):
    """A site that fails."""

    def app(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        """Raise."""
        broken()


def test_an_exception_of_the_site_is_an_error(episodes: Episodes) -> None:
    record = episodes.run("clean", BrokenSite(episodes.library.world("shop", 0)))
    assert record.status == "error"
    assert "planted" in record.message
    assert "in broken" in record.traceback


def test_evidence_that_the_site_does_not_answer_is_an_error(episodes: Episodes) -> None:
    """A substitute page would be graded as the agent's."""

    def close_evidence(episode: EpisodeWorld) -> None:
        # The proxy itself answers requests to a port of no episode.
        episodes.world.episodes.bindings.pop(episode.evidence_port)

    record = episodes.run("clean", prepare=close_evidence)
    assert (record.status, record.claim) == ("error", "none")
    assert "the site was not asked" in record.message


def test_a_checkpoint_that_raises_is_an_error(episodes: Episodes) -> None:
    module = ModuleType("broken_checkpoints")

    @checks(TASK)
    def crash(run: Run, goal: Goal) -> Checks:
        yield "first", True
        raise LookupError("planted")

    module.crash = crash  # type: ignore[attr-defined]

    class BrokenLibrary(Library):
        def __init__(self) -> None:
            super().__init__()
            self.checklist = lambda site: checklist([module])  # type: ignore[assignment]

    record = episodes.run("clean")
    assert record.status == "done"
    with pytest.raises(InfrastructureError, match="planted"):
        Grader(BrokenLibrary()).grade(record)


def test_an_exceeded_time_limit_is_the_agents_failure(episodes: Episodes) -> None:
    cell = Cell(agent="naive", task=TASK, condition="clean", world=0, stress=0)
    site, goal = episodes.library.world("shop", 0), episodes.library.goal(TASK, 0)
    episode = episodes.world.open(site, condition("clean"), cell.seeds)
    evidence = Evidence(episodes.browser)
    limits = Limits(max_steps=100, agent_seconds=1e-9)
    record = run_episode(cell, goal, make("naive"), episode, episodes.browser, evidence, limits, now_of(site))
    evidence.close()
    episode.close()
    assert (record.status, record.message) == ("crashed", "the agent exceeded the time limit of 1e-09 seconds")


def graded(task: str, condition: str, status: str, *, success: bool) -> Graded:
    return Graded.model_validate(
        {
            "agent": "a", "task": task, "site": "shop", "condition": condition, "world_seed": 0, "stress_seed": 0,
            "epoch": 0, "status": status, "claim": "done", "success": success, "checkpoints_passed": int(success),
            "checkpoints_total": 1, "harmed": False, "steps": 3, "exposed": None, "bypasses": 0,
            "seconds": 1.0,
        }
    )  # fmt: skip


def test_an_error_is_in_neither_side_and_shown() -> None:
    rows = measure(
        [
            graded("shop/x", "clean", "done", success=True),
            graded("shop/x", "remap@3", "error", success=False),
            graded("shop/y", "clean", "done", success=True),
            graded("shop/y", "remap@3", "done", success=True),
        ]
    )
    stressed = next(row for row in rows if row.condition == "remap@3")
    assert (stressed.episodes, stressed.successes, stressed.errors, stressed.difference) == (1, 1, 1, 0.0)


def test_a_crash_counts_as_a_failure() -> None:
    rows = measure(
        [
            graded("shop/x", "clean", "done", success=True),
            graded("shop/x", "remap@3", "crashed", success=False),
            graded("shop/y", "clean", "done", success=True),
            graded("shop/y", "remap@3", "done", success=True),
        ]
    )
    stressed = next(row for row in rows if row.condition == "remap@3")
    assert (stressed.episodes, stressed.successes, stressed.errors, stressed.difference) == (2, 1, 0, -0.5)
