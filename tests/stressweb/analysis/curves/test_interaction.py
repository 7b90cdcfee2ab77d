"""Interactions of two modes: computed by hand, and with errors."""

import pytest

from stressweb.analysis.curves.interaction import Interaction
from stressweb.analysis.graded import Graded
from stressweb.analysis.statistics import difference_interval, sign_flip
from tests.stressweb.analysis.curves.small_runs import curves, site_episode

CELLS = ("clean", "noise@2", "failure@3", "noise@2+failure@3")


def run(*outcomes: str) -> list[Graded]:
    """Return a run with a task per string: 1 or 0 for success under clean, A, B and both."""
    return [
        site_episode(task, label, won == "1")
        for task, cells in enumerate(outcomes)
        for label, won in zip(CELLS, cells, strict=True)
    ]


def only(episodes: list[Graded]) -> Interaction:
    (interaction,) = curves(episodes).interactions
    return interaction


@pytest.mark.parametrize(
    ("cells", "expected"), [("1111", 0), ("1110", -1), ("1000", 1), ("1100", 0), ("0110", -2), ("1001", 2), ("0000", 0)]
)
def test_for_one_task_it_is_both_minus_each_plus_clean(cells: str, expected: int) -> None:
    assert only(run(cells)).interaction == expected


def test_modes_that_cost_nothing_alone_and_everything_together() -> None:
    interaction = only(run(*["1110"] * 12))
    assert (interaction.difference, interaction.differences_alone, interaction.interaction) == (-1, (0, 0), -1)
    assert interaction.alone == ("noise@2", "failure@3")
    assert (interaction.p_value, interaction.p_holm) == (sign_flip([-1] * 12), sign_flip([-1] * 12))
    # An interaction may be below -1, so its interval is not cut off there like that of a difference.
    known = difference_interval([-1] * 12)
    assert known is not None
    assert interaction.intervals.these_sites is not None
    assert interaction.intervals.these_sites.high == known.high
    assert interaction.intervals.these_sites.low < known.low == -1


def test_an_interaction_may_lie_beyond_one() -> None:
    interaction = only(run(*["0110"] * 12))
    assert interaction.interaction == -2
    assert interaction.intervals.these_sites is not None
    assert interaction.intervals.these_sites.low == -2


def test_an_error_in_one_arm_takes_only_its_task() -> None:
    episodes = run(*["1110"] * 6)
    episodes[1] = episodes[1].model_copy(update={"status": "error"})
    assert only(episodes).tasks == 5


def test_both_tests_of_an_agent_are_adjusted_together() -> None:
    popup_run = [
        each_episode.model_copy(update={"condition": each_episode.condition.replace("noise@2", "popup@1")})
        for each_episode in run(*["1110"] * 12)
    ]
    interactions = curves(
        run(*["1110"] * 12) + [each_episode for each_episode in popup_run if "popup" in each_episode.condition]
    ).interactions
    assert [interaction.p_holm for interaction in interactions] == [
        2 * interaction.p_value for interaction in interactions
    ]


def test_without_either_mode_alone_there_is_no_interaction() -> None:
    measured = curves([each_episode for each_episode in run(*["1110"] * 6) if each_episode.condition != "noise@2"])
    assert measured.interactions == []
    assert "noise@2+failure@3 was run, but not noise@2 alone: no interaction." in measured.missing
