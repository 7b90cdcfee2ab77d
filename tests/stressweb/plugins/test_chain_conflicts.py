"""Conflicts between the parts of a chain that show before an episode."""

import contextlib
from collections.abc import Iterator

import pytest

from stressweb.core.task_id import site_of
from stressweb.plugins.chain_conflicts import conflicts, database_after
from stressweb.plugins.chain_world import address_of
from stressweb.plugins.task import Part, Task
from stressweb.runner.registry import Library, task_ids
from stressweb.walking.walker import Walker

LIBRARY = Library()


def task_of(name: str) -> Task:
    task = LIBRARY.task(name)
    assert isinstance(task, Task)
    return task


def reasons(seed: int, first: str, second: str) -> Iterator[str]:
    """Yield the conflicts of the first draws of two tasks of one site."""
    world = LIBRARY.world_of(first, seed)
    parts = [
        Part(number, world.site, address_of(world), LIBRARY.goal(name, seed))
        for number, name in enumerate((first, second), start=1)
    ]
    tasks = {name: task_of(name) for name in (first, second)}
    return (reason for _, _, reason in conflicts(parts, tasks, {world.site: world}))


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", task_ids())
def test_it_knows_which_goals_a_task_outdates(name: str) -> None:
    """Compared with the database after the task's trajectory, for every other task of the site.

    It may be wrong about one of them, because expectations do not show what the site sets itself, such as the day on
    which a card was finished. In world 0 it is wrong about 4 of 1,867 pairs.
    """
    goal, world = LIBRARY.goal(name, 0), LIBRARY.world_of(name, 0)
    if not goal.expect:
        return
    walker = Walker(world, offers=goal.offers).walk(goal.ways[0])
    walked = world.entities_in(walker.database)
    with contextlib.closing(database_after(world, goal.expect)) as database:
        foreseen = world.entities_in(database)
    others = [task for task in task_ids() if site_of(task) == world.site and task != name]
    params = {other: LIBRARY.goal(other, 0).params for other in others}
    differing = [
        other
        for other in others
        if bool(task_of(other).outdated(walked, params[other]))
        != bool(task_of(other).outdated(foreseen, params[other]))
    ]
    assert len(differing) <= 1, differing


@pytest.mark.parametrize(
    ("seed", "first", "second", "reason"),
    [
        (
            0,
            "files/bring-back",
            "files/erase-the-first-five",
            "before files/erase-the-first-five begins, its parameter 'five'",
        ),
        # A row that the task adds moves the others from their places.
        (0, "reservation/review-the-last-visit", "reservation/helpful-critics", "its parameter 'reviews' is outdated"),
        # A folder that the task adds is where it puts the files.
        (6, "files/put-the-old-ones-away", "files/copy-with-a-remark", "its parameter 'file' is outdated"),
        (1, "calendar/move-an-event", "calendar/move-to-another-category", "its parameter 'beyond' is outdated"),
        (1, "ride/cheapest-for-five", "ride/moved-house", "its parameter 'rides' is outdated"),
        (4, "mail/file-a-correspondence", "mail/hand-over", "its parameter 'letter' is outdated"),
        (1, "network/job-hunt", "network/write-to-a-trade", "both add a row to network.message with text '"),
        (12, "mail/forward-with-a-note", "mail/hand-over", "both add a row to mail.message with to '"),
        (5, "notes/hand-out-a-copy", "notes/set-up-a-workspace", "both add a row to notes.folder with name 'Feedback'"),
        (4, "mail/clear-a-day", "mail/send-next-week", "both add a row to mail.scheduled with subject '"),
    ],
)
def test_a_conflict_is_seen(seed: int, first: str, second: str, reason: str) -> None:
    assert any(reason in conflict for conflict in reasons(seed, first, second))
    assert any(reason in conflict for conflict in reasons(seed, second, first))


@pytest.mark.parametrize(
    ("seed", "first", "second"),
    [
        # Both give the same permission, which is one of two.
        (1, "notes/hand-out-a-copy", "notes/share-by-link"),
        (0, "network/job-hunt", "network/write-to-a-trade"),
        (0, "files/put-the-old-ones-away", "files/copy-with-a-remark"),
    ],
)
def test_parts_that_do_not_disturb_each_other_may_be_in_one_chain(seed: int, first: str, second: str) -> None:
    assert not [*reasons(seed, first, second)]
