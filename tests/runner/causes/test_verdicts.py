"""What is said of a cause, on episodes that are not played but worked out: many of them, also of flaky agents."""

from collections.abc import Callable, Collection
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.causes.found import Found
from runner.causes.shrink import Budget, SpentError, shrink
from runner.causes.stage import Stage
from runner.registry import conditions
from stressweb.core.draws import unit
from stressweb.core.injections import Allowed, Injection
from stressweb.log.causes import Answer
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.plugins.agent import Agent, Usage
from stressweb.plugins.checks import Grade
from tests.runner.causes.conftest import Presses

type Breaks = Callable[[frozenset[Injection], int], bool]
"""Whether an episode with these injections breaks, and the number of the episode."""
UNITS: list[Injection] = [("failure", f"shop / {name} #1", str(at)) for name in ("a", "b", "c", "d") for at in range(3)]
ONE, TWO = UNITS[1], UNITS[7]
CELL = Cell(agent="presses", task="toy/save", condition="failure@5", world=0, stress=0)


class Rigged(Stage):
    """Works out how an episode ends."""

    def __init__(self, breaks: Breaks, outages: Collection[int] = ()) -> None:
        """Take what breaks, and the numbers of the episodes in which infrastructure fails."""
        self._breaks, self._outages, self.played = breaks, outages, 0
        self._heard = []
        self._grader = SimpleNamespace(grade=lambda record: record.grade)  # type: ignore[assignment]

    def _run(
        self,
        cell: Cell,
        condition: object,
        make: Callable[[], Agent],
        allowed: Allowed | None,
        on_step: Callable[[StepRecord], object],
    ) -> EpisodeRecord:
        """Fire whatever may fire."""
        assert allowed is not None
        make()
        self.played += 1
        some = [one for one in UNITS if allowed.lets(one, 1)]
        for one in some:
            allowed.fires(one, 1, "button 'A'")
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
    found = Found(record, condition, Limits(), lambda: Presses([]), deterministic)
    return shrink(found, Rigged(breaks, outages), budget or Budget(), lambda said: None)


def named(answer: Answer) -> set[Injection]:
    return {one.injection for one in answer.causes}


@given(st.lists(st.frozensets(st.sampled_from(UNITS), min_size=1, max_size=2), min_size=1, max_size=3))
def test_of_several_planted_causes_the_answer_says_whether_one_is_the_cause(causes: list[frozenset[Injection]]) -> None:
    answer = explain(lambda some, _: any(cause <= some for cause in causes), budget=Budget(200))
    cause = frozenset(named(answer))
    assert cause in causes
    others = [one for one in causes if one.isdisjoint(cause)]
    assert answer.verdict == ("overdetermined" if others else "caused by")
    assert answer.injections == len(UNITS)


def test_sixty_episodes_are_enough_for_two_causes_among_twelve() -> None:
    answer = explain(lambda some, _: {ONE, TWO} <= some)
    assert (answer.verdict, named(answer)) == ("caused by", {ONE, TWO})
    assert answer.episodes <= 60


def test_what_breaks_without_any_needs_two_episodes() -> None:
    answer = explain(lambda some, _: True)
    assert (answer.verdict, answer.episodes) == ("fails without any", 2)


def test_what_does_not_break_again_has_slipped() -> None:
    answer = explain(lambda some, _: False)
    assert str(answer) == "slipped: with the injections that were recorded it passed"


def test_what_broke_by_chance_is_found_out_by_the_fresh_repeat() -> None:
    """It breaks with everything, and with the cause only the first time."""
    seen = set()

    def breaks(some: frozenset[Injection], _: int) -> bool:
        again, _ = some in seen, seen.add(some)
        return ONE in some and not (some == {ONE} and again)

    answer = explain(breaks)
    assert (answer.verdict, answer.sufficient) == ("slipped", False)


def test_a_flaky_agent_is_asked_again() -> None:
    """Of ten episodes one ends otherwise than it should."""
    found = [
        explain(
            lambda some, number, seed=seed: (ONE in some) != (unit("flaky", seed, number) < 0.1),
            deterministic=False,
            budget=Budget(200),
        )
        for seed in range(40)
    ]
    right = [answer for answer in found if answer.verdict == "caused by" and named(answer) == {ONE}]
    assert len(right) >= 32
    assert all(answer.episodes >= 2 * 7 for answer in right)


def test_tokens_are_a_budget_too() -> None:
    answer = explain(lambda some, _: ONE in some, budget=Budget(tokens=550))
    # The replay asks no model; after six episodes of 100 tokens the limit is passed.
    assert (answer.verdict, answer.episodes) == ("stopped", 7)
    assert ONE in named(answer)


def test_tokens_of_an_episode_that_infrastructure_ended_count() -> None:
    # The third episode is played again as the fourth, so that one question fewer can be asked.
    answer = explain(lambda some, _: ONE in some, budget=Budget(tokens=550), outages={3})
    assert (answer.verdict, answer.episodes) == ("stopped", 6)


def test_an_episode_is_not_played_again_without_tokens() -> None:
    budget = Budget(tokens=150)
    record = EpisodeRecord(CELL, "error", steps=[StepRecord(Shown("", ""), usage=Usage(tokens_in=100))])
    budget.heard(record)
    with pytest.raises(SpentError):
        budget.heard(record)
    # One that ended is over: what it used counts when the next one is taken.
    budget.heard(replace(record, status="done"))
    with pytest.raises(SpentError):
        budget.take()


def test_what_fails_later_without_any_is_not_caused_by_an_injection() -> None:
    """Undisturbed it saw it, and misses the checkpoint after that."""

    class Later(Rigged):
        def _run(self, *given: Any) -> EpisodeRecord:
            record = super()._run(*given)
            assert record.grade is not None
            return replace(record, grade=Grade({**record.grade.passed, "did it": False}, {}, None))

    found = Found(
        EpisodeRecord(CELL, "done", grade=Grade({"saw it": False, "did it": False}, {}, None)),
        conditions("failure@5")[0],
        Limits(),
        lambda: Presses([]),
        deterministic=True,
    )
    answer = shrink(found, Later(lambda some, _: ONE in some), Budget(), lambda said: None)
    assert (str(answer), answer.episodes) == ("undisturbed it fails too, at 'did it'", 2)
