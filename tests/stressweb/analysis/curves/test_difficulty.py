"""The difficulty of tasks."""

from stressweb.analysis.curves.difficulty import difficulty
from stressweb.analysis.statistics import Interval, wilson
from tests.stressweb.analysis.curves.small_runs import site_episode


def test_the_hardest_come_first_with_their_own_intervals() -> None:
    episodes = [
        site_episode(0, "clean", True), site_episode(0, "remap@3", False), site_episode(0, "noise@1", True), site_episode(0, "sham", False),
        site_episode(1, "clean", True), site_episode(1, "remap@3", False), site_episode(1, "noise@1", False), site_episode(1, "noise@1", True, status="error"),
        site_episode(2, "clean", False), site_episode(2, "remap@3", True),
        site_episode(3, "remap@3", False),
    ]  # fmt: skip
    difficulties = difficulty("naive", episodes)
    assert [each.task for each in difficulties] == [f"site-0/task-{task}" for task in (2, 1, 0, 3)]
    easy, unknown = difficulties[2:]
    assert (easy.clean_successes, easy.clean_episodes, easy.clean_interval) == (1, 1, wilson(1, 1))
    # Sham is not stress, and an error is no outcome.
    assert (easy.stressed_successes, easy.stressed_episodes, easy.stressed_interval) == (1, 2, wilson(1, 2))
    assert (difficulties[1].stressed_episodes, difficulties[1].stressed_success) == (2, 0)
    assert (unknown.clean_success, unknown.clean_interval) == (None, Interval(0, 1))
