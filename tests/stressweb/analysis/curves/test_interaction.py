"""Pairs of modes: by hand, and with errors."""

import pytest

from stressweb.analysis.curves.interaction import Interaction
from stressweb.analysis.graded import Graded
from stressweb.analysis.statistics import difference_interval, sign_flip
from tests.stressweb.analysis.curves.making import at, curves

CELLS = ("clean", "noise@2", "failure@3", "noise@2+failure@3")


def run(*outcomes: str) -> list[Graded]:
    """Return a run with a task for each text: success under clean, A, B, both, as 1 or 0."""
    return [
        at(task, label, won == "1")
        for task, cells in enumerate(outcomes)
        for label, won in zip(CELLS, cells, strict=True)
    ]


def only(episodes: list[Graded]) -> Interaction:
    (found,) = curves(episodes).interactions
    return found


@pytest.mark.parametrize(
    ("cells", "value"), [("1111", 0), ("1110", -1), ("1000", 1), ("1100", 0), ("0110", -2), ("1001", 2), ("0000", 0)]
)
def test_of_one_task_it_is_both_minus_each_plus_clean(cells: str, value: int) -> None:
    assert only(run(cells)).interaction == value


def test_what_costs_nothing_alone_and_all_together() -> None:
    found = only(run(*["1110"] * 12))
    assert (found.difference, found.differences_alone, found.interaction) == (-1, (0, 0), -1)
    assert found.alone == ("noise@2", "failure@3")
    assert (found.p_value, found.p_holm) == (sign_flip([-1] * 12), sign_flip([-1] * 12))
    # An interaction may lie beyond -1, so that its interval is not cut off there as that of a difference is.
    known = difference_interval([-1] * 12)
    assert known is not None
    assert found.intervals.these_sites is not None
    assert found.intervals.these_sites.high == known.high
    assert found.intervals.these_sites.low < known.low == -1


def test_an_interaction_may_lie_beyond_one() -> None:
    found = only(run(*["0110"] * 12))
    assert found.interaction == -2
    assert found.intervals.these_sites is not None
    assert found.intervals.these_sites.low == -2


def test_an_error_in_one_arm_takes_only_its_task() -> None:
    episodes = run(*["1110"] * 6)
    episodes[1] = episodes[1].model_copy(update={"status": "error"})
    assert only(episodes).tasks == 5


def test_both_tests_of_an_agent_are_adjusted_together() -> None:
    other = [
        one.model_copy(update={"condition": one.condition.replace("noise@2", "popup@1")}) for one in run(*["1110"] * 12)
    ]
    found = curves(run(*["1110"] * 12) + [one for one in other if "popup" in one.condition]).interactions
    assert [one.p_holm for one in found] == [2 * one.p_value for one in found]


def test_without_either_alone_there_is_none_and_the_run_says_so() -> None:
    found = curves([one for one in run(*["1110"] * 6) if one.condition != "noise@2"])
    assert found.interactions == []
    assert "noise@2+failure@3 was run, but not noise@2 alone: no interaction." in found.missing
