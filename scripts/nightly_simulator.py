"""Simulated nights of an agent with known truth: how often `stressweb nightly` alarms, and how soon.

An agent of a known population of tasks is recorded once as the baseline, and then runs night after night. Every episode
is a Bernoulli trial of its task's rate, so that the baseline has luck of its own, which stays. Each night is treated as
the program treats it, with the rerun of a suspicion on the fresh stress seed, whose episodes the baseline also has.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from scripts.simulator import POPULATIONS, SEED, Population, Scenario, clean_rates, stressed_rates
from stressweb.analysis import cusum
from stressweb.analysis.statistics import Floats

TASKS, MODES = 30, 2
"""The default size of a night."""
BASELINES = 200
"""Baselines of a scenario for the documents, each followed by `cusum.NIGHTS` nights."""
LOSS = 0.3
"""What each of the two modes takes on average, before the agent changes."""
DECLINES = (0.0, 0.05, 0.10, 0.20, 0.40)


class Truth(NamedTuple):
    """True success rates of one agent."""

    clean: Floats
    """By task."""
    stressed: Floats
    """By mode and task."""


class Agent(NamedTuple):
    """One population of tasks, and by how much the agent's robustness declines after the baseline."""

    population: Population
    decline: float


class Found(NamedTuple):
    """What came out of the nights of many baselines."""

    alarms: float
    """False or true alarms in `cusum.NIGHTS` nights, on average."""
    within: dict[int, float]
    """Share of the baselines with an alarm within so many nights."""
    reruns: float
    """Share of the nights that were rerun."""


def agents() -> Iterator[Agent]:
    """Yield every agent of the table."""
    yield from (Agent(population, decline) for population, decline in product(POPULATIONS, DECLINES))


def simulate(agent: Agent, baselines: int = BASELINES, tasks: int = TASKS) -> Found:
    """Follow an agent through the nights after each of many baselines."""
    generator = np.random.default_rng([SEED, *map(ord, f"{agent} {tasks}")])
    followed = [_follow(agent, tasks, generator) for _ in range(baselines)]
    firsts = [alarms[0] if alarms else cusum.NIGHTS + 1 for alarms, _ in followed]
    return Found(
        alarms=sum(len(alarms) for alarms, _ in followed) / baselines,
        within={nights: sum(first <= nights for first in firsts) / baselines for nights in (1, 7, 30)},
        reruns=sum(reruns for _, reruns in followed) / baselines / cusum.NIGHTS,
    )


def _follow(agent: Agent, tasks: int, generator: np.random.Generator) -> tuple[list[int], int]:
    """Return the nights with an alarm, from 1, and how many nights were rerun."""
    before, after = _truths(agent, tasks, generator)
    # Drawn once, as a baseline is recorded once: its luck is in every night that follows.
    clean = _draw(before.clean, generator)
    tonight, fresh = _draw(before.stressed, generator), _draw(before.stressed, generator)
    alarms: list[int] = []
    totals, reruns = (0.0, 0.0), 0
    for night in range(1, cusum.NIGHTS + 1):
        scores = _scores(after, clean, tonight, generator)
        totals = cusum.added(totals, scores)
        if cusum.suspected(totals, scores):
            reruns += 1
            again = _scores(after, clean, fresh, generator)
            totals = cusum.added(totals, again)
            alarm = cusum.confirmed(totals, again)
            alarms += [night] if alarm else []
            totals = cusum.kept(totals, alarm=alarm)
    return alarms, reruns


def _truths(agent: Agent, tasks: int, generator: np.random.Generator) -> tuple[Truth, Truth]:
    scenario = Scenario(agent.population, tasks, 1, LOSS, 0.0)
    clean = clean_rates(scenario, generator)
    stressed = np.array([stressed_rates(clean, scenario, generator) for _ in range(MODES)])
    # The decline takes whole tasks under every mode, as an ability that is lost does: as a share of what is won, so
    # that the mean falls by `decline`, and at most everything.
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
    # A difference is a mean over the modes, so as many times that it is a whole number.
    units = np.rint(differences * MODES).astype(int)
    sizes = np.bincount(np.abs(units), minlength=2 * MODES + 1)[1:]
    return cusum.score(float(units.sum()), flipped(tuple(map(int, sizes)), abs(int(units.sum()))))


@lru_cache(1 << 18)
def flipped(sizes: tuple[int, ...], total: int) -> float:
    """Return the p-value of `sign_flip` for differences that are whole numbers, in a hundredth of its time.

    `sizes` says how many differences are 1, 2, 3, ... either way, `total` how far from 0 their sum is. The distribution
    of the sum is that of a sum of binomial counts.
    """
    shares = np.ones(1)
    for size, count in enumerate(sizes, start=1):
        # The sum of `count` signs of one size lies between -size*count and size*count, in steps of twice the size.
        spread = np.zeros(2 * size * count + 1)
        spread[:: 2 * size] = binom.pmf(np.arange(count + 1), count, 0.5)
        # Sums of independent terms: the distribution of each is folded into that of all before.
        shares = np.convolve(shares, spread)
    middle = shares.size // 2
    return 1.0 if total == 0 else float(min(1.0, 2 * shares[middle + total :].sum()))
