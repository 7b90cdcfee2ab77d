"""Bugs of a site make a case of unchanged text fail, and change nothing without their form."""

import pytest

from stressweb.cases.bugs import BUGS, bug_of, with_bug
from stressweb.cases.building import Fault
from stressweb.cases.case_task import CaseTask
from stressweb.cases.checking import holds
from stressweb.cases.execution import sight_of, truths
from stressweb.core.errors import UserError
from stressweb.core.task_id import TaskId
from stressweb.plugins.test_case import CaseStep
from stressweb.runner.registry import Library
from stressweb.walking.walker import Walker

LIBRARY = Library()
SITE = "food"
BUGGY = [
    case for case in LIBRARY.cases(SITE).values() if isinstance(case, CaseTask) and case.fault and case.fault.is_bug
]


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_buggy_site_makes_the_text_of_the_passing_case_fail(seed: int) -> None:
    assert len(BUGGY) >= 5
    for case in BUGGY:
        assert case.fault
        goals = [LIBRARY.goal(name, seed) for name in (case.id, f"cases/{TaskId.read(case.id).task}")]
        failing, passing = (goal.case for goal in goals)
        assert failing
        assert passing
        # What an agent gets is the same in both.
        assert len({(goal.text, goal.ways, goal.offers) for goal in goals}) == 1
        assert failing.steps == passing.steps
        assert failing.title == passing.title
        assert (passing.truth.verdict, failing.truth.verdict) == ("pass", "fail")
        world = LIBRARY.case_world(SITE, seed)
        task = TaskId.read(case.id).task
        offers = world.goal(task).offers
        (broken,) = truths(Walker(LIBRARY.world_of(case.id, seed), offers=offers), [failing])
        (sound,) = truths(Walker(world.world, offers=offers), [failing])
        assert (broken.step, sound.verdict) == (case.fault.step, "pass")
        assert failing.truth.cause in (None, broken.cause)


def test_without_its_form_a_bug_changes_nothing() -> None:
    world = LIBRARY.world(SITE, 0)
    for operator in BUGS:
        (step,) = (CaseStep(action="Press it"),)
        bug = bug_of(operator, [step], [["/nowhere"]], ["/nowhere"], 1)
        if bug is not None:
            assert Walker(with_bug(world, bug)).html == Walker(world).html
    assert bug_of("wrong_number", [step], [[]], ["/"], 1) is None
    assert bug_of("dead_button", [step], [[]], ["/"], 1) is None


def test_a_dropped_write_responds_as_usual_and_changes_no_data() -> None:
    task = f"{SITE}/new-address"
    world = LIBRARY.case_world(SITE, 0)
    way = world.goal(task).ways[0]
    paths = Walker(world.world).walk(way).sent
    bug = bug_of("dropped_write", [CaseStep(action="Save it")] * len(paths), [[path] for path in paths], paths, 1)
    assert bug
    good, bad = Walker(world.world), Walker(with_bug(world.world, bug))
    good.stumble(way)
    bad.stumble(way)
    assert paths[0] in bad.sent
    changed = {table for table, change in good.changes().items() if change.added or change.altered}
    assert changed - world.world.uncounted
    assert not {table for table, change in bad.changes().items() if change.added} - world.world.uncounted


@pytest.mark.parametrize("operator", BUGS)
@pytest.mark.parametrize("step", [1, 99])
def test_a_bug_without_effect_in_a_world_is_refused(operator: str, step: int) -> None:
    case = BUGGY[0].model_copy(update={"fault": Fault(operator, step)})
    with pytest.raises(UserError, match=f"is not made in world 0: {operator} makes no failure of step {step} there"):
        case.goal(LIBRARY.case_world(SITE, 0))


def test_a_stale_list_hides_a_saved_row_but_keeps_it() -> None:
    task = "calendar/new-category"
    world = LIBRARY.case_world("calendar", 0)
    played = world.played(task)
    stale = world.with_bug(task, Fault("stale_list", 3))
    assert stale
    check = played.case.steps[2].check
    assert check
    good, bad = Walker(world.world), Walker(stale)
    for walker in (good, bad):
        for case_step in played.case.steps[:3]:
            walker.walk(case_step.steps)
    assert [holds(check, sight_of(walker)) for walker in (good, bad)] == [True, False]
    assert good.changes() == bad.changes()
