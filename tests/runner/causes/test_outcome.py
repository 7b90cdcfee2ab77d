"""Outcomes by which repeated episodes are compared."""

import pytest

from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.plugins.checks import Grade
from stressweb.runner.causes.outcome import Ending, Outcome, described, ending, failing, failure, settled

SAME, PASSED, SLIPPED = "same", "passed", "slipped"


@pytest.mark.parametrize(
    ("grade", "description"),
    [
        (Grade({"saw": True, "did": True}, {}, None), ""),
        (Grade({"saw": False, "did": False}, {"broke": True}, False), "saw"),
        (Grade({"saw": True}, {"spilt": False, "broke": True}, True), "harm: broke"),
        (Grade({"saw": True}, {}, False, ["a row"]), "not in the database: a row"),
        (Grade({"saw": True}, {}, False), "the final database"),
    ],
)
def test_a_failure_is_named_by_the_first_miss(grade: Grade, description: str) -> None:
    assert failure(grade) == description


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
    repeats: list[int] = []

    def play(repeat: int) -> Outcome:
        repeats.append(repeat)
        return seen[repeat]

    assert settled(play, deterministic=False) == outcome
    assert repeats == list(range(played))
    assert settled(lambda repeat: seen[repeat], deterministic=True) == seen[0]


CELL = Cell(agent="presses", task="toy/save", condition="failure@5", world=0, stress=0)
RECORDED = EpisodeRecord(CELL, "done", grade=Grade({"saw": False, "did": False}, {}, None))


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (EpisodeRecord(CELL, "done", grade=Grade({"saw": True, "did": True}, {}, None)), Ending("passed", "")),
        (EpisodeRecord(CELL, "done", grade=Grade({"saw": False, "did": True}, {}, None)), Ending("same", "at 'saw'")),
        (EpisodeRecord(CELL, "done", grade=Grade({"saw": True, "did": False}, {}, None)), Ending("slipped", "at 'did'")),
        # It crashes only in the repeat, and misses everything for that reason.
        (
            EpisodeRecord(CELL, "crashed", message="no key", grade=RECORDED.grade),
            Ending("slipped", "at 'saw': the agent crashed, no key"),
        ),
    ],
)  # fmt: skip
def test_an_ending_describes_the_failure(record: EpisodeRecord, expected: Ending) -> None:
    assert ending(record, RECORDED) == expected


def test_an_agent_that_crashed_in_the_recording_fails_in_the_same_way_if_it_crashes_again() -> None:
    crashed = EpisodeRecord(CELL, "crashed", message="boom", grade=RECORDED.grade)
    assert ending(crashed, crashed).outcome == "same"


@pytest.mark.parametrize(
    ("missed", "description"),
    [
        ("saw", "at 'saw'"),
        ("harm: broke", "with harm: broke"),
        ("not in the database: a row", "not in the database: a row"),
        ("the final database", "at the final database"),
    ],
)
def test_a_failure_is_described(missed: str, description: str) -> None:
    assert described(missed) == description


@pytest.mark.parametrize(
    ("seen", "description"),
    [
        (["", ""], ""),
        (["A", "A"], "A, in 2 of 2 episodes"),
        (["A", "B"], "A, in 2 of 2 episodes"),
        (["A", "", "", ""], ""),
        (["", "A", "A", "A"], "A, in 3 of 4 episodes"),
        # Without a lead of two it does not count as passing: an agent that fails half the time explains nothing.
        (["A", "", "B", "", "B", ""], "B, in 3 of 6 episodes"),
    ],
)
def test_it_fails_unless_its_passes_lead_by_two(seen: list[str], description: str) -> None:
    repeats: list[int] = []

    def play(repeat: int) -> Ending:
        repeats.append(repeat)
        return Ending("slipped" if seen[repeat] else "passed", seen[repeat])

    assert failing(play, deterministic=False) == description
    assert repeats == list(range(len(seen)))
    assert failing(play, deterministic=True) == seen[0]
