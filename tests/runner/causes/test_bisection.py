"""The breaking point of simulated agents, compared with trying every rate."""

from collections.abc import Callable
from math import ceil, inf, log2

from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.draws import unit
from stressweb.runner.causes.bisection import Trial, breaking_point

TOP = 0.5
DRAWS = st.floats(0.001, 0.999)
type Play = Callable[[float], Trial]


def all_outcomes(play: Play, draws: set[float]) -> list[tuple[float, bool]]:
    """Return every rate at which the outcome may change, with its outcome."""
    return [(rate, play(rate).passed) for rate in sorted({0.0, TOP, *(draw for draw in draws if draw < TOP)})]


def straight(draws: list[float], critical: set[int]) -> Play:
    """Return a script that meets every draw, and fails if a critical one was disturbed."""
    return lambda rate: Trial(all(draws[index] >= rate for index in critical if index < len(draws)), frozenset(draws))


def retrying(gestures: list[list[float]], patience: int) -> Play:
    """Return an agent that retries each gesture, with a total number of retries."""

    def play(rate: float) -> Trial:
        remaining, met = patience, set[float]()
        for draws in gestures:
            for draw in draws:
                met.add(draw)
                if draw >= rate:
                    break
                remaining -= 1
                if remaining < 0:
                    return Trial(passed=False, draws=frozenset(met))
            else:
                return Trial(passed=False, draws=frozenset(met))
        return Trial(passed=True, draws=frozenset(met))

    return play


@given(st.lists(DRAWS, max_size=40), st.sets(st.integers(0, 39)))
def test_a_script_breaks_at_its_lowest_critical_draw(draws: list[float], critical: set[int]) -> None:
    point = breaking_point(straight(draws, critical), TOP)
    lowest = min((draws[index] for index in critical if index < len(draws)), default=inf)
    assert point.passes_to == (lowest if lowest < TOP else inf)
    assert point.exact
    assert point.monotone
    assert point.runs <= 2 + ceil(log2(point.draws + 1))
    assert point.draws == len({draw for draw in draws if draw < TOP})


@given(st.lists(st.lists(DRAWS, min_size=1, max_size=5), max_size=12), st.integers(0, 6))
def test_a_retrying_agent_breaks_at_the_reported_rate(gestures: list[list[float]], patience: int) -> None:
    play = retrying(gestures, patience)
    point = breaking_point(play, TOP)
    assert point.runs <= 2 + ceil(log2(point.draws + 1))
    for rate, passed in all_outcomes(play, {draw for draws in gestures for draw in draws}):
        if rate <= point.passes_to:
            assert passed
        if rate > max(point.fails_from, 0):
            assert not passed
    # More disturbance never helps this agent.
    assert point.monotone


@given(st.lists(DRAWS, max_size=20, unique=True), st.integers(), st.floats(0.2, 0.8))
def test_any_agent_breaks_at_the_reported_rate(draws: list[float], seed: int, share: float) -> None:
    """This holds even if an agent passes at a higher rate than one at which it fails."""

    def play(rate: float) -> Trial:
        disturbed = sorted(draw for draw in draws if draw < rate)
        return Trial(not disturbed or unit(seed, *map(str, disturbed)) < share, frozenset(draws))

    point = breaking_point(play, TOP)
    outcomes = all_outcomes(play, set(draws))
    assert point.runs <= 2 + ceil(log2(point.draws + 1))
    if point.passes_to < inf:
        assert play(point.passes_to).passed
        next_draw = min([draw for draw in draws if draw > point.fails_from] + [TOP])
        assert not play(min(TOP, next_draw)).passed
    straightly = [passed for _, passed in outcomes] == sorted((passed for _, passed in outcomes), reverse=True)
    if straightly:
        assert point.monotone


def test_an_agent_that_passes_above_a_failing_rate_is_flagged() -> None:
    draws = [number / 20 for number in range(1, 10)]

    def play(rate: float) -> Trial:
        return Trial(rate <= 0.15 or rate > 0.3, frozenset(draws))

    assert not breaking_point(play, TOP).monotone


def test_an_agent_that_fails_undisturbed_has_no_breaking_point() -> None:
    point = breaking_point(lambda rate: Trial(passed=False, draws=frozenset({0.2})), TOP)
    assert (point.passes_to, point.runs) == (-1, 1)
