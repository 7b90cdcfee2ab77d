"""Test cases checked in a browser: results must be visible at two window widths."""

from collections.abc import Awaitable, Callable
from functools import partial

import pytest
from playwright.sync_api import Browser

from scripts.blocking import asynchronous_of, blocking
from stressweb.cases.bugs import BUGS
from stressweb.cases.building import Fault, Rejection
from stressweb.cases.rendering import case_step
from stressweb.core.task_id import site_of
from stressweb.core.verdict import Truth
from stressweb.plugins.agent import Observation
from stressweb.plugins.test_case import Check, TestCase
from stressweb.runner import registry
from stressweb.runner.episode.playground import Playground
from stressweb.runner.verify.case_views import BuggyCase, seen, unseen, unseen_bugs
from stressweb.runner.world.world import World

TASK = "food/third-fastest"
LIBRARY = registry.Library()


def changed_case(case: TestCase, step: int, check: Check, truth: Truth) -> TestCase:
    steps = [*case.steps]
    steps[step - 1] = case_step(steps[step - 1].steps, check)
    return case.model_copy(update={"steps": tuple(steps), "truth": truth})


def rejections_of(browser: Browser, world: World, *cases: TestCase) -> list[Rejection]:
    return in_browser(browser, world, lambda ground: unseen(ground, LIBRARY, cases, 0))


def in_browser(
    browser: Browser, world: World, look: Callable[[Playground], Awaitable[list[Rejection]]]
) -> list[Rejection]:
    async def look_and_close() -> list[Rejection]:
        ground = Playground(asynchronous_of(browser), world)
        try:
            return await look(ground)
        finally:
            await ground.close()

    rejections: list[Rejection] = blocking(look_and_close)()
    return rejections


@pytest.mark.audit
def test_cases_with_wrong_visibility_are_rejected(browser: Browser, world: World) -> None:
    own = [case for name in LIBRARY.cases("food") if name.split("#")[0].endswith("third-fastest")
           if (case := LIBRARY.goal(name, 0).case)]  # fmt: skip
    assert len(own) > 1
    passing = own[0]
    heading = LIBRARY.case_world("food", 0).played(TASK).seen[0][-1].heading
    # A message that does not exist, and a failing step whose result exists.
    absent = changed_case(passing, 2, Check(kind="message", says="It is all yours."), Truth(verdict="pass"))
    present = changed_case(
        passing, 1, Check(kind="heading", says=heading), Truth(verdict="fail", step=1, cause="assertion")
    )
    assert rejections_of(browser, world, *own) == []
    (rejected,) = rejections_of(browser, world, absent)
    assert rejected.reason == '1280 pixels wide: step 2: The message "It is all yours." is shown: not visible'
    (rejected,) = rejections_of(browser, world, present)
    assert rejected.reason.startswith("1280 pixels wide: step 1: ")


def test_a_result_that_only_a_wide_window_shows_is_rejected(browser: Browser, world: World) -> None:
    passing = LIBRARY.case_world("food", 0).played(TASK).case
    # A narrow window folds the filters away.
    folded = Check(kind="field", of="Cuisine", says="No preference")
    (rejected,) = rejections_of(browser, world, changed_case(passing, 1, folded, passing.truth))
    assert rejected.reason.startswith("390 pixels wide: step 1: ")


# Mail draws its pages by a script, calendar does not.
@pytest.mark.sample(1)
@pytest.mark.parametrize("task", ["mail/archive-what-is-old", "calendar/first-and-last-of-a-day"])
def test_bugs_that_a_browser_does_not_show_are_rejected(browser: Browser, world: World, task: str) -> None:
    case_world = LIBRARY.case_world(site_of(task), 0)
    passing = case_world.played(task).case
    faults = [Fault(operator, step) for operator in BUGS for step in range(2, len(passing.steps) + 1)]
    fault, bug = next((fault, bug) for fault in faults if (bug := case_world.with_bug(task, fault)))
    buggy = BuggyCase(passing, fault, bug)
    no_bug = buggy._replace(site=case_world.world)
    earlier = buggy._replace(fault=fault._replace(step=fault.step - 1))
    assert in_browser(browser, world, lambda ground: unseen_bugs(ground, LIBRARY, [buggy], 0)) == []
    for wrong in (no_bug, earlier):
        (rejected,) = in_browser(browser, world, partial(unseen_bugs, library=LIBRARY, cases=[wrong], world_seed=0))
        assert rejected.fault == wrong.fault
        assert rejected.reason == f"1280 pixels wide: step {wrong.fault.step} is as if there were no bug"


@pytest.mark.parametrize(
    ("box", "is_seen"),
    [((0.0, 0.0, 90.0, 20.0), True), (None, False), ((0.0, 0.0, 1.0, 1.0), False), ((-999.0, 0.0, 90.0, 20.0), False)],
)
def test_undrawn_elements_are_not_seen(box: tuple[float, float, float, float] | None, is_seen: bool) -> None:
    html = "<html><head></head><body><main><h1>Basket</h1></main></body></html>"
    page = (0.0, 0.0, 1280.0, 800.0)
    view = seen(Observation(url="http://toy.local/", html=html, boxes=(page, None, page, page, box)))
    assert view.heading == ("Basket" if is_seen else "")
