"""Simulates nights of an agent with known truth: how often and how soon `stressweb nightly` alarms, and for how long.

An agent with a known population of tasks is recorded once as the baseline, and then runs every night. Every episode is
a Bernoulli trial with its task's rate, so the luck of the baseline affects all nights. Nights are analysed as in the
program, including reruns of suspicious nights on the fresh stress seed, which the baseline also has.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from scripts.simulator import POPULATIONS, SEED, Population, Scenario, clean_rates, stressed_rates
from stressweb.analysis import cusum
from stressweb.analysis.regressions import Evidence, JudgedNight, Regression, RegressionState
from stressweb.analysis.statistics import Floats

TASKS, MODES = 30, 2
"""The default size of a night."""
BASELINES = 200
"""Number of baselines of a scenario for the documents, each followed by `cusum.NIGHTS` nights."""
LOSS = 0.3
"""Mean loss under each of the two modes, before the agent changes."""
DECLINES = (0.0, 0.05, 0.10, 0.20, 0.40)
ALARM_WITHIN = (1, 7, 14, 30)
"""Numbers of nights after the decline."""
CLOSED_WITHIN = (7, 14, 30)
"""Numbers of nights after the repair."""


class Truth(NamedTuple):
    """True success rates of an agent."""

    clean: Floats
    """By task."""
    stressed: Floats
    """By mode and task."""


class Agent(NamedTuple):
    """A population of tasks, and the decline of the agent's robustness after the baseline."""

    population: Population
    decline: float


class Performance(NamedTuple):
    """The outcome of the nights after many baselines."""

    alarms: float
    """Mean number of alarms, false or true, in `cusum.NIGHTS` nights."""
    within: dict[int, float]
    """Share of the baselines with an alarm, by number of nights."""
    reruns: float
    """Share of the nights with a rerun."""
    open_nights: float
    """Share of the nights with an open regression."""
    closed: float
    """Share of the baselines with an alarm whose regression is closed while the decline lasts."""
    green: float
    """Share of the nights without an open regression, from the first alarm on."""
    recovered: dict[int, float]
    """Share of the baselines whose regression is closed, by number of nights after the repair, which is on the night of
    the alarm."""


class _Followed(NamedTuple):
    """The nights after one baseline."""

    alarms: tuple[int, ...]
    """Numbers of the nights with an alarm, from 1."""
    open: tuple[bool, ...]
    """Whether a regression is open after each night."""
    reruns: int


def agents() -> Iterator[Agent]:
    """Yield every agent of the table."""
    yield from (Agent(population, decline) for population, decline in product(POPULATIONS, DECLINES))


def simulate(agent: Agent, baselines: int = BASELINES, tasks: int = TASKS) -> Performance:
    """Simulate an agent's nights after each of many baselines."""
    generator = np.random.default_rng([SEED, *map(ord, f"{agent} {tasks}")])
    worlds = [_World.drawn(agent, tasks, generator) for _ in range(baselines)]
    lasting = [_follow(world, generator) for world in worlds]
    alarmed = [(world, follow) for world, follow in zip(worlds, lasting, strict=True) if follow.alarms]
    repaired = [_nights_to_close(world, follow.alarms[0], generator) for world, follow in alarmed]
    after = [is_open for _, follow in alarmed for is_open in follow.open[follow.alarms[0] - 1 :]]
    firsts = [follow.alarms[0] if follow.alarms else cusum.NIGHTS + 1 for follow in lasting]
    return Performance(
        alarms=sum(len(follow.alarms) for follow in lasting) / baselines,
        within={nights: _share([first <= nights for first in firsts]) for nights in ALARM_WITHIN},
        reruns=sum(follow.reruns for follow in lasting) / baselines / cusum.NIGHTS,
        open_nights=_share([is_open for follow in lasting for is_open in follow.open]),
        closed=_share([not all(follow.open[follow.alarms[0] - 1 :]) for _, follow in alarmed]),
        green=_share([not is_open for is_open in after]),
        recovered={
            nights: _share([nights_to_close <= nights for nights_to_close in repaired]) for nights in CLOSED_WITHIN
        },
    )


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 0.0


class _World(NamedTuple):
    """An agent before and after its decline, and the luck of its baseline."""

    before: Truth
    after: Truth
    clean: Floats
    tonight: Floats
    """The baseline's episodes under the modes, on the stress seed of the nights."""
    fresh: Floats
    """The same on the stress seed of the reruns."""

    @staticmethod
    def drawn(agent: Agent, tasks: int, generator: np.random.Generator) -> "_World":
        before, after = _truths(agent, tasks, generator)
        # Draw it once, as a baseline is recorded once: its luck affects all nights.
        clean = _draw(before.clean, generator)
        return _World(before, after, clean, _draw(before.stressed, generator), _draw(before.stressed, generator))

    def run(self, generator: np.random.Generator, *, fresh: bool = False, repaired: bool = False) -> Evidence:
        truth, baseline = (self.before if repaired else self.after), (self.fresh if fresh else self.tonight)
        tasks = self.clean.size
        return Evidence(_scores(truth, self.clean, baseline, generator), (tasks, tasks))


def _follow(world: _World, generator: np.random.Generator) -> _Followed:
    """Simulate the nights of an agent whose decline lasts."""
    state, alarms, opened, reruns = RegressionState(), list[int](), list[bool](), 0
    for night in range(1, cusum.NIGHTS + 1):
        state, judged = _night(world, state, night, generator)
        reruns += judged is not None
        alarms += [night] if judged and judged.opened else []
        opened.append(bool(state.open))
    return _Followed(tuple(alarms), tuple(opened), reruns)


def _nights_to_close(world: _World, since: int, generator: np.random.Generator) -> int:
    """Return the number of nights until a regression of robustness is closed, if the agent is repaired after the alarm.

    If it stays open, this is one more than the maximum of `CLOSED_WITHIN`.
    """
    regression = Regression(since=since, families=world.clean.size)
    state = RegressionState(open={"robustness": regression})
    for night in range(1, max(CLOSED_WITHIN) + 1):
        state, _ = _night(world, state, since + night, generator, repaired=True)
        if not state.open:
            return night
    return max(CLOSED_WITHIN) + 1


def _night(
    world: _World, state: RegressionState, number: int, generator: np.random.Generator, *, repaired: bool = False
) -> tuple[RegressionState, JudgedNight | None]:
    """Return the state after one night, and the verdict of its rerun, if there was one."""
    tonight = world.run(generator, repaired=repaired)
    state = state.after_run(tonight)
    if not state.needs_rerun(tonight):
        return state, None
    judged = state.after_rerun(world.run(generator, fresh=True, repaired=repaired), number, ())
    return judged.state, judged


def _truths(agent: Agent, tasks: int, generator: np.random.Generator) -> tuple[Truth, Truth]:
    scenario = Scenario(agent.population, tasks, 1, LOSS, 0.0)
    clean = clean_rates(scenario, generator)
    stressed = np.array([stressed_rates(clean, scenario, generator) for _ in range(MODES)])
    # The decline takes whole tasks under every mode, like a lost ability. Their share of the successes makes the mean
    # fall by `decline`, or to 0.
    lost = generator.random(tasks) < agent.decline / max(float(stressed.mean()), agent.decline, 1e-9)
    return Truth(clean, stressed), Truth(clean, np.where(lost, 0.0, stressed))


def _draw(rates: Floats, generator: np.random.Generator) -> Floats:
    drawn: Floats = (generator.random(rates.shape) < rates).astype(np.float64)
    return drawn


def _scores(truth: Truth, clean: Floats, stressed: Floats, generator: np.random.Generator) -> cusum.Both:
    """Return the scores of a night: of robustness, and of clean."""
    undisturbed = _draw(truth.clean, generator) - clean
    robustness = (_draw(truth.stressed, generator) - stressed).mean(axis=0) - undisturbed
    return _score(robustness), _score(undisturbed)


def _score(differences: Floats) -> float:
    # A difference is a mean over the modes, so multiplying by their number gives whole numbers.
    units = np.rint(differences * MODES).astype(int)
    sizes = np.bincount(np.abs(units), minlength=2 * MODES + 1)[1:]
    return cusum.score(float(units.sum()), flipped(tuple(map(int, sizes)), abs(int(units.sum()))))


@lru_cache(1 << 18)
def flipped(sizes: tuple[int, ...], total: int) -> float:
    """Return the p-value of `sign_flip` for whole differences, a hundred times as fast.

    `sizes` are the numbers of differences with absolute values 1, 2, 3, ..., `total` is the absolute value of their
    sum. The sum is distributed like a sum of binomial counts.
    """
    shares = np.ones(1)
    for size, count in enumerate(sizes, start=1):
        # The sum of `count` signs of one size lies between -size*count and size*count, in steps of twice the size.
        spread = np.zeros(2 * size * count + 1)
        spread[:: 2 * size] = binom.pmf(np.arange(count + 1), count, 0.5)
        # The terms are independent, so convolve their distributions.
        shares = np.convolve(shares, spread)
    middle = shares.size // 2
    return 1.0 if total == 0 else float(min(1.0, 2 * shares[middle + total :].sum()))
