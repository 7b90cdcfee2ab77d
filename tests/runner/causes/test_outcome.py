"""What episodes are compared by."""

import pytest

from runner.causes.outcome import Outcome, failure, settled
from stressweb.plugins.checks import Grade

SAME, PASSED, SLIPPED = "same", "passed", "slipped"


@pytest.mark.parametrize(
    ("grade", "said"),
    [
        (Grade({"saw": True, "did": True}, {}, None), ""),
        (Grade({"saw": False, "did": False}, {"broke": True}, False), "saw"),
        (Grade({"saw": True}, {"spilt": False, "broke": True}, True), "harm: broke"),
        (Grade({"saw": True}, {}, False, ["a row"]), "not in the database: a row"),
        (Grade({"saw": True}, {}, False), "the final database"),
    ],
)
def test_a_failure_is_called_by_what_was_missed_first(grade: Grade, said: str) -> None:
    assert failure(grade) == said


@pytest.mark.parametrize(
    ("seen", "outcome", "played"),
    [
        ([SAME, SAME], SAME, 2),
        ([PASSED, PASSED], PASSED, 2),
        ([SAME, PASSED, SAME, SAME], SAME, 4),
        ([SAME, PASSED, SAME, PASSED, PASSED, PASSED], PASSED, 6),
        ([SAME, PASSED, SLIPPED, SAME, SAME], SAME, 5),
        ([SAME, PASSED] * 3, SLIPPED, 6),
    ],
)
def test_an_outcome_counts_once_it_leads_by_two(seen: list[Outcome], outcome: str, played: int) -> None:
    asked: list[int] = []

    def play(repeat: int) -> Outcome:
        asked.append(repeat)
        return seen[repeat]

    assert settled(play, deterministic=False) == outcome
    assert asked == list(range(played))
    assert settled(lambda repeat: seen[repeat], deterministic=True) == seen[0]
