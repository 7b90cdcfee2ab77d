"""The test cases that ship are as their files say."""

import pytest
from playwright.sync_api import Browser

from scripts.blocking import asynchronous_of, blocking
from stressweb import sites
from stressweb.cases.building import Rejection
from stressweb.cases.case_task import CaseTask
from stressweb.core.task_id import site_of
from stressweb.runner import registry
from stressweb.runner.episode.playground import Playground
from stressweb.runner.verify.case_views import BuggyCase, unseen, unseen_bugs
from stressweb.runner.verify.cases import WORLDS
from stressweb.runner.verify.checks import Job, check
from stressweb.runner.world.world import World

LIBRARY = registry.Library()


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", WORLDS)
@pytest.mark.parametrize("task", [task for task in registry.task_ids() if site_of(task) in sites.names()])
def test_the_cases_of_a_task_are_as_they_say(task: str, seed: int) -> None:
    """Executed; a case with a bug cannot be drawn if its bug does not fail it at its step."""
    assert check(Job("cases", site_of(task), task, seed)) == []


@pytest.mark.audit
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", WORLDS)
@pytest.mark.parametrize("site", sites.names())
def test_a_browser_shows_what_the_cases_say(browser: Browser, world: World, site: str, seed: int) -> None:
    cases = [case for case in LIBRARY.cases(site).values() if isinstance(case, CaseTask)]
    goals = {case.id: LIBRARY.goal(case.id, seed) for case in cases}
    drawn = {name: goal.case for name, goal in goals.items() if goal.case}
    texts = [drawn[case.id] for case in cases if not (case.fault and case.fault.is_bug)]
    bugs = [
        BuggyCase(drawn[case.id.partition("#")[0]], case.fault, LIBRARY.world_of(case.id, seed))
        for case in cases
        if case.fault and case.fault.is_bug
    ]
    assert texts
    assert bugs

    async def look() -> list[Rejection]:
        ground = Playground(asynchronous_of(browser), world)
        try:
            return await unseen(ground, LIBRARY, texts, seed) + await unseen_bugs(ground, LIBRARY, bugs, seed)
        finally:
            await ground.close()

    assert blocking(look)() == []
