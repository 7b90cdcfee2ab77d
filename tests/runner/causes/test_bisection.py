"""The breaking point of agents whose ways are known, against trying every rate."""

from collections.abc import Callable
from math import ceil, inf, log2

from hypothesis import given
from hypothesis import strategies as st

from runner.causes.bisection import Way, breaking_point
from stressweb.core.draws import unit

TOP = 0.5
DRAWS = st.floats(0.001, 0.999)
type Play = Callable[[float], Way]


def by_hand(play: Play, draws: set[float]) -> list[tuple[float, bool]]:
    """Return every rate at which the outcome may be another one, with the outcome at it."""
    return [(rate, play(rate).passed) for rate in sorted({0.0, TOP, *(one for one in draws if one < TOP)})]


def straight(draws: list[float], critical: set[int]) -> Play:
    """A script: it meets every draw whatever happens, and fails if a critical one was disturbed."""
    return lambda rate: Way(all(draws[at] >= rate for at in critical if at < len(draws)), frozenset(draws))


def retrying(gestures: list[list[float]], patience: int) -> Play:
    """An agent that tries each gesture again, some times in all, and stops when that is used up."""

    def play(rate: float) -> Way:
        left, met = patience, set[float]()
        for draws in gestures:
            for draw in draws:
                met.add(draw)
                if draw >= rate:
                    break
                left -= 1
                if left < 0:
                    return Way(passed=False, draws=frozenset(met))
            else:
                return Way(passed=False, draws=frozenset(met))
        return Way(passed=True, draws=frozenset(met))

    return play


@given(st.lists(DRAWS, max_size=40), st.sets(st.integers(0, 39)))
def test_of_a_script_it_is_its_lowest_critical_draw(draws: list[float], critical: set[int]) -> None:
    found = breaking_point(straight(draws, critical), TOP)
    lowest = min((draws[at] for at in critical if at < len(draws)), default=inf)
    assert found.passes_to == (lowest if lowest < TOP else inf)
    assert found.exact
    assert found.monotone
    assert found.runs <= 2 + ceil(log2(found.draws + 1))
    assert found.draws == len({one for one in draws if one < TOP})


@given(st.lists(st.lists(DRAWS, min_size=1, max_size=5), max_size=12), st.integers(0, 6))
def test_of_an_agent_that_tries_again_it_lies_where_it_says(gestures: list[list[float]], patience: int) -> None:
    play = retrying(gestures, patience)
    found = breaking_point(play, TOP)
    assert found.runs <= 2 + ceil(log2(found.draws + 1))
    for rate, passed in by_hand(play, {draw for draws in gestures for draw in draws}):
        if rate <= found.passes_to:
            assert passed
        if rate > max(found.fails_from, 0):
            assert not passed
    # More disturbance never helps this agent.
    assert found.monotone


@given(st.lists(DRAWS, max_size=20, unique=True), st.integers(), st.floats(0.2, 0.8))
def test_where_it_says_that_it_breaks_it_does(draws: list[float], seed: int, share: float) -> None:
    """Also if an agent passes at a higher rate than one at which it fails."""

    def play(rate: float) -> Way:
        disturbed = sorted(one for one in draws if one < rate)
        return Way(not disturbed or unit(seed, *map(str, disturbed)) < share, frozenset(draws))

    found = breaking_point(play, TOP)
    outcomes = by_hand(play, set(draws))
    assert found.runs <= 2 + ceil(log2(found.draws + 1))
    if found.passes_to < inf:
        assert play(found.passes_to).passed
        above = min([one for one in draws if one > found.fails_from] + [TOP])
        assert not play(min(TOP, above)).passed
    straightly = [passed for _, passed in outcomes] == sorted((passed for _, passed in outcomes), reverse=True)
    if straightly:
        assert found.monotone


def test_one_that_passes_above_where_it_fails_is_flagged() -> None:
    draws = [at / 20 for at in range(1, 10)]

    def play(rate: float) -> Way:
        return Way(rate <= 0.15 or rate > 0.3, frozenset(draws))

    assert not breaking_point(play, TOP).monotone


def test_one_that_fails_undisturbed_has_none() -> None:
    found = breaking_point(lambda rate: Way(passed=False, draws=frozenset({0.2})), TOP)
    assert (found.passes_to, found.runs) == (-1, 1)
