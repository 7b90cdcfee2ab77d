"""How hard tasks are."""

from stressweb.analysis.curves.difficulty import difficulty
from stressweb.analysis.statistics import Interval, wilson
from tests.stressweb.analysis.curves.making import at


def test_the_hardest_come_first_with_their_own_intervals() -> None:
    episodes = [
        at(0, "clean", True), at(0, "remap@3", False), at(0, "noise@1", True), at(0, "sham", False),
        at(1, "clean", True), at(1, "remap@3", False), at(1, "noise@1", False), at(1, "noise@1", True, status="error"),
        at(2, "clean", False), at(2, "remap@3", True),
        at(3, "remap@3", False),
    ]  # fmt: skip
    found = difficulty("naive", episodes)
    assert [one.task for one in found] == [f"site-0/task-{task}" for task in (2, 1, 0, 3)]
    easy, unknown = found[2:]
    assert (easy.clean_successes, easy.clean_episodes, easy.clean_interval) == (1, 1, wilson(1, 1))
    # Sham disturbs nothing, and an error is no outcome.
    assert (easy.stressed_successes, easy.stressed_episodes, easy.stressed_interval) == (1, 2, wilson(1, 2))
    assert (found[1].stressed_episodes, found[1].stressed_success) == (2, 0)
    assert (unknown.clean_success, unknown.clean_interval) == (None, Interval(0, 1))
