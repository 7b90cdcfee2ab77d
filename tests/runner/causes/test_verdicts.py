"""Verdicts about causes on many simulated episodes, also of flaky agents."""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.draws import unit
from stressweb.core.injections import AllowedInjections, Injection
from stressweb.log.causes import Answer
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.plugins.agent import Agent, Usage
from stressweb.plugins.checks import Grade
from stressweb.runner.causes.recorded_episode import RecordedEpisode
from stressweb.runner.causes.shrink import Budget, SpentError, shrink
from stressweb.runner.causes.stage import CauseStage
from stressweb.runner.registry import conditions
from tests.runner.causes.planted_causes import Presses

type Breaks = Callable[[frozenset[Injection], int], bool]
"""Maps the injections and the number of an episode to whether it breaks."""
UNITS: list[Injection] = [
    ("failure", f"shop / {name} #1", str(attempt)) for name in ("a", "b", "c", "d") for attempt in range(3)
]
ONE, TWO = UNITS[1], UNITS[7]
CELL = Cell(agent="presses", task="toy/save", condition="failure@5", world=0, stress=0)


class Rigged(CauseStage):
    """Stage that computes the end of an episode instead of playing it."""

    def __init__(self, breaks: Breaks, outages: Collection[int] = ()) -> None:
        """Take the breaking condition, and the numbers of the episodes in which infrastructure fails."""
        self._breaks, self._outages, self.played = breaks, outages, 0
        self._listeners = []
        self._grader = SimpleNamespace(grade=lambda record: record.grade)  # type: ignore[assignment]

    def _run(
        self,
        cell: Cell,
        condition: object,
        make: Callable[[], Agent],
        allowed: AllowedInjections | None,
        on_step: Callable[[StepRecord], object],
    ) -> EpisodeRecord:
        """Fire every allowed injection."""
        assert allowed is not None
        make()
        self.played += 1
        some = [injection for injection in UNITS if allowed.lets(injection, 1)]
        for injection in some:
            allowed.record(injection, 1, "button 'A'")
        steps = [StepRecord(Shown("", ""), usage=Usage(tokens_in=70, tokens_out=30))]
        if self.played in self._outages:
            return EpisodeRecord(cell, "error", message="no browser", steps=steps)
        return EpisodeRecord(cell, "done", steps=steps, grade=grade(not self._breaks(frozenset(some), self.played)))


def grade(passed: object) -> Grade:
    return Grade({"saw it": bool(passed)}, {}, None)


def explain(
    breaks: Breaks, *, deterministic: bool = True, budget: Budget | None = None, outages: Collection[int] = ()
) -> Answer:
    (condition,) = conditions("failure@5")
    record = EpisodeRecord(CELL, "done", grade=grade(passed=False))
    failed = RecordedEpisode(record, condition, Limits(), lambda: Presses([]), deterministic)
    return shrink(failed, Rigged(breaks, outages), budget or Budget(), lambda line: None)


def named(answer: Answer) -> set[Injection]:
    return {cause.injection for cause in answer.causes}


@given(st.lists(st.frozensets(st.sampled_from(UNITS), min_size=1, max_size=2), min_size=1, max_size=3))
def test_several_planted_causes_are_reported_as_overdetermined(causes: list[frozenset[Injection]]) -> None:
    answer = explain(lambda some, _: any(cause <= some for cause in causes), budget=Budget(200))
    cause = frozenset(named(answer))
    assert cause in causes
    others = [planted for planted in causes if planted.isdisjoint(cause)]
    assert answer.verdict == ("overdetermined" if others else "caused by")
    assert answer.injections == len(UNITS)


def test_sixty_episodes_are_enough_for_two_causes_among_twelve() -> None:
    answer = explain(lambda some, _: {ONE, TWO} <= some)
    assert (answer.verdict, named(answer)) == ("caused by", {ONE, TWO})
    assert answer.episodes <= 60


def test_an_episode_that_breaks_without_injections_needs_two_episodes() -> None:
    answer = explain(lambda some, _: True)
    assert (answer.verdict, answer.episodes) == ("fails without any", 2)


def test_an_episode_that_does_not_break_again_has_slipped() -> None:
    answer = explain(lambda some, _: False)
    assert str(answer) == "slipped: with the recorded injections it passed"


def test_a_fresh_repeat_detects_a_chance_failure() -> None:
    """The episode breaks with all injections, and with the cause alone only the first time."""
    seen: set[frozenset[Injection]] = set()

    def breaks(some: frozenset[Injection], _: int) -> bool:
        again = some in seen
        seen.add(some)
        return ONE in some and not (some == {ONE} and again)

    answer = explain(breaks)
    assert (answer.verdict, answer.sufficient) == ("slipped", False)


def test_a_flaky_agent_is_asked_again() -> None:
    """One in ten episodes has the wrong end."""

    def breaks(seed: int, some: frozenset[Injection], number: int) -> bool:
        return (ONE in some) != (unit("flaky", seed, number) < 0.1)

    answers = [explain(partial(breaks, seed), deterministic=False, budget=Budget(200)) for seed in range(40)]
    right = [answer for answer in answers if answer.verdict == "caused by" and named(answer) == {ONE}]
    assert len(right) >= 32
    assert all(answer.episodes >= 2 * 7 for answer in right)


def test_tokens_are_a_budget_too() -> None:
    answer = explain(lambda some, _: ONE in some, budget=Budget(tokens=550))
    # The replay calls no model; six episodes of 100 tokens exceed the limit.
    assert (answer.verdict, answer.episodes) == ("stopped", 7)
    assert ONE in named(answer)


def test_tokens_of_an_episode_that_infrastructure_ended_count() -> None:
    # The third episode repeats as the fourth, so the budget covers one question less.
    answer = explain(lambda some, _: ONE in some, budget=Budget(tokens=550), outages={3})
    assert (answer.verdict, answer.episodes) == ("stopped", 6)


def test_an_episode_is_not_played_again_without_tokens() -> None:
    budget = Budget(tokens=150)
    record = EpisodeRecord(CELL, "error", steps=[StepRecord(Shown("", ""), usage=Usage(tokens_in=100))])
    budget.count(record)
    with pytest.raises(SpentError):
        budget.count(record)
    # A finished episode counts when the next one starts.
    budget.count(replace(record, status="done"))
    with pytest.raises(SpentError):
        budget.take()


def test_a_later_failure_without_injections_is_not_caused_by_one() -> None:
    """Undisturbed, the episode passes this checkpoint and misses the next."""

    class Later(Rigged):
        def _run(self, *arguments: Any) -> EpisodeRecord:
            record = super()._run(*arguments)
            assert record.grade is not None
            return replace(record, grade=Grade({**record.grade.passed, "did it": False}, {}, None))

    failed = RecordedEpisode(
        EpisodeRecord(CELL, "done", grade=Grade({"saw it": False, "did it": False}, {}, None)),
        conditions("failure@5")[0],
        Limits(),
        lambda: Presses([]),
        deterministic=True,
    )
    answer = shrink(failed, Later(lambda some, _: ONE in some), Budget(), lambda line: None)
    assert (str(answer), answer.episodes) == ("undisturbed it fails too, at 'did it'", 2)
