"""Law 8: every task can be done in every condition, and nothing short of doing it passes.

Every episode here is graded twice: by its checkpoints over the recorded pages, and by the verdict over the changes of
the database: the rows hold what the task's `expect` asks for, and no other row differs, sessions and the event log
apart. `succeeded` fails where the two disagree.
"""

import pytest

from stressweb.core import draws
from stressweb.core.task_id import site_of
from stressweb.log.recording import EpisodeRecord
from stressweb.plugins.checks import Grade
from stressweb.plugins.query import BLANK, Run
from stressweb.runner.registry import task_ids
from stressweb.sites import kit
from stressweb.walking.walker import Walker
from tests.laws.mutations import Mutation, changed, left_out
from tests.support.playing import Player, conditions, summary_of, two_of

pytestmark = pytest.mark.long

TASKS = task_ids()
TWO_WAYS = [task.id for site in kit.names() for task in kit.tasks(site) if task.other]
CONDITIONS = conditions(3)
WORLDS = (0, 1, 2)
COORDINATES = "resilient(pointer=coordinates)"


def succeeded(record: EpisodeRecord, but: str = "") -> bool:
    """Return whether an episode reached its goal; fails if checkpoints and database disagree."""
    assert record.grade is not None
    assert not record.grade.disputed, f"checkpoints and database disagree {but}\n{summary_of(record)}"
    return record.grade.success


def earned(grade: Grade) -> list[str]:
    """Return the passed checkpoints, and the verdict if it is positive."""
    return [name for name, passed in grade.passed.items() if passed] + ["the verdict"] * bool(grade.verdict)


def passes(play: Player, task: str, mutation: Mutation) -> bool:
    """Return whether an agent that makes a mistake succeeds."""
    return succeeded(play("naive", task, steps=mutation.steps), mutation.change)


def scripted(play: Player, task: str, way: int = 0, world: int = 0) -> EpisodeRecord:
    """Return the episode of an agent that takes a way as written; mutated episodes are compared with it."""
    record = play.recall("naive", task, world_seed=world, way=way)
    assert succeeded(record), summary_of(record)
    return record


@pytest.mark.sample(1)
@pytest.mark.parametrize("task", TASKS)
def test_resilient_does_it(play: Player, task: str, seed: int) -> None:
    for condition in two_of(CONDITIONS, seed, task):
        record = play.recall("resilient", task, condition)
        assert succeeded(record), summary_of(record)
        assert record.claim == "done", summary_of(record)


@pytest.mark.sample(1)
@pytest.mark.parametrize("condition", ["clean", *CONDITIONS])
def test_resilient_does_it_by_coordinates(play: Player, condition: str, seed: int) -> None:
    record = play(COORDINATES, draws.pick(TASKS, "coordinates", seed, condition), condition)
    assert succeeded(record), summary_of(record)


@pytest.mark.sample(2)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("agent", ["null", "talker"])
def test_doing_nothing_earns_nothing(play: Player, agent: str, task: str) -> None:
    record = play.recall(agent, task)
    assert record.grade is not None
    assert earned(record.grade) == [], summary_of(record)
    assert not any(record.grade.harms.values()), summary_of(record)
    assert record.claim == {"null": "failed", "talker": "done"}[agent]


@pytest.mark.sample(2)
@pytest.mark.parametrize("task", TASKS)
def test_blank_pages_earn_nothing(play: Player, task: str) -> None:
    goal = play.goal(task)
    checklist = play.library.checklist(task.partition("/")[0])
    for states in ([], [BLANK], [BLANK] * 30):
        grade = checklist.grade(Run(states, dict.fromkeys(goal.evidence, BLANK)), goal)
        assert earned(grade) == [], task


@pytest.mark.sample(2)
@pytest.mark.parametrize("task", TASKS)
def test_the_first_page_again_and_again_earns_nothing(play: Player, task: str) -> None:
    record = play.recall("null", task)
    home = play.run(record)
    assert len(home.states) == 1
    seen = Run([*home.states] * 30, dict.fromkeys(home.closings, home.states[0]))
    grade = play.library.checklist(task.partition("/")[0]).grade(seen, play.goal(task))
    assert earned(grade) == [], task


@pytest.mark.sample(1)
@pytest.mark.parametrize("task", TWO_WAYS)
def test_another_way_passes_in_full(play: Player, task: str) -> None:
    for way in range(1, len(play.goal(task).ways)):
        scripted(play, task, way)


@pytest.mark.sample(1, "mutations")
@pytest.mark.parametrize("task", TASKS)
def test_a_step_left_out_fails(play: Player, task: str, seed: int) -> None:
    scripted(play, task)
    mutation = draws.pick(left_out(play.goal(task).ways[0]), "left out", seed, task)
    assert not passes(play, task, mutation), mutation.change


@pytest.mark.sample(1, "mutations")
@pytest.mark.parametrize("task", TASKS)
def test_another_value_fails(play: Player, task: str, seed: int) -> None:
    way, site = play.goal(task).ways[0], play.site(task)
    mutations = [*changed(way, scripted(play, task), site, play.goal(task).offers)]
    if not mutations:
        pytest.skip("the way enters nothing, and its pages link to nothing else of the kind")
    mutation = draws.pick(mutations, "changed", seed, task)
    assert not passes(play, task, mutation), mutation.change


@pytest.mark.audit
@pytest.mark.parametrize("task", TASKS)
def test_any_other_value_fails(play: Player, task: str) -> None:
    """Every other value, item and link of the played pages; wrong ways are walked without a browser.

    `tests/checkpoints` walks every way without each of its steps.
    """
    world_seed = draws.pick(WORLDS, "world", task)
    goal, site = play.goal(task, world_seed), play.site(task, world_seed)
    checks = play.library.checklist(site_of(task))
    passed: list[str] = []
    for number, way in enumerate(goal.ways):
        for mutation in changed(way, scripted(play, task, number, world_seed), site, goal.offers):
            run = Walker(site, offers=goal.offers).stumble(mutation.steps).run(goal)
            grade = checks.grade(run, goal)
            assert not grade.disputed, f"checkpoints and database disagree {mutation.change}"
            passed += [mutation.change] * grade.success
    assert passed == [], f"world {world_seed}"
