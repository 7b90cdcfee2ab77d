"""Law 9: infrastructure is not the agent. Failures of ours are errors: excluded from both arms, counted, shown."""

from types import ModuleType

import pytest
from mitmproxy import http
from playwright.sync_api import Browser

from scripts.waited import Evidence, run_episode
from stressweb.analysis.measures import Graded, measure
from stressweb.core.errors import InfrastructureError
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.perturbations import remap
from stressweb.perturbations.addons.binding import binding_of
from stressweb.perturbations.addons.hooks import answer
from stressweb.perturbations.addons.hosts import Hosts
from stressweb.perturbations.episode_perturber import EpisodePerturber
from stressweb.plugins.checks import Checks, checklist, checks
from stressweb.plugins.query import Run
from stressweb.plugins.site_world import now_of
from stressweb.plugins.task import Goal
from stressweb.runner.agents import make
from stressweb.runner.registry import Library
from stressweb.runner.registry.grading import Grader
from stressweb.runner.world.world import World
from tests.support.plans import condition

TASK = "shop/two-of-a-named-product"


class Episodes:
    """Runs episodes, failing ones included."""

    def __init__(self, browser: Browser, world: World) -> None:
        self.browser, self.world, self.library = browser, world, Library()

    def run(self, label: str, agent: str = "naive") -> EpisodeRecord:
        cell = Cell(agent=agent, task=TASK, condition=label, world=0, stress=0)
        site, goal = self.library.world("shop", 0), self.library.goal(TASK, 0)
        episode = self.world.open(site, condition(label), cell.seeds, cell.mark_key)
        evidence = Evidence(self.browser)
        try:
            return run_episode(cell, goal, make(agent), episode, self.browser, evidence, Limits(), now_of(site))
        finally:
            evidence.close()
            episode.close()


@pytest.fixture
def episodes(browser: Browser, world: World) -> Episodes:
    return Episodes(browser, world)


def broken(*_: object) -> None:
    raise RuntimeError("planted")


def test_an_exception_of_a_mode_is_an_error(episodes: Episodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remap.Remap, "rule", broken)
    record = episodes.run("remap@3")
    assert (record.status, record.claim) == ("error", "none")
    assert "planted" in record.message
    assert "in broken" in record.traceback


def test_an_exception_in_taking_a_report_is_an_error(episodes: Episodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EpisodePerturber, "take_report", broken)
    record = episodes.run("remap@5")
    assert record.status == "error"
    assert "planted" in record.message


def test_an_exception_of_the_site_is_an_error(episodes: Episodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(episodes.library.world("shop", 0)), "app", broken)
    record = episodes.run("clean")
    assert record.status == "error"
    assert "planted" in record.message
    assert "in broken" in record.traceback


def test_evidence_that_the_site_does_not_answer_is_an_error(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A substitute page would be graded as the agent's."""
    original_request = Hosts.request

    def request(addon: Hosts, flow: http.HTTPFlow) -> None:
        if binding_of(flow).evidence:
            answer(flow, http.Response.make(403, b"Forbidden"))
        original_request(addon, flow)

    monkeypatch.setattr(Hosts, "request", request)
    record = episodes.run("clean")
    assert (record.status, record.claim) == ("error", "none")
    assert "the site was not asked" in record.message


def test_a_checkpoint_that_raises_is_an_error(episodes: Episodes) -> None:
    module = ModuleType("broken_checkpoints")

    @checks(TASK)
    def crash(run: Run, goal: Goal) -> Checks:
        yield "first", True
        raise LookupError("planted")

    module.__dict__.update(crash=crash)
    record = episodes.run("clean")
    assert record.status == "done"
    episodes.library.checklist = lambda site: checklist([module])  # type: ignore[assignment]
    with pytest.raises(InfrastructureError, match="planted"):
        Grader(episodes.library).grade(record)


def test_an_exceeded_time_limit_is_the_agents_failure(episodes: Episodes) -> None:
    cell = Cell(agent="naive", task=TASK, condition="clean", world=0, stress=0)
    site, goal = episodes.library.world("shop", 0), episodes.library.goal(TASK, 0)
    episode = episodes.world.open(site, condition("clean"), cell.seeds, cell.mark_key)
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
