"""Simulates runs with known truth: the coverage of the intervals, and the false alarms of the test.

Each run draws new tasks. A task's clean success rate follows a beta distribution whose mean depends on its site, its
episodes are Bernoulli trials with that rate, and a condition reduces the rates by a share on average. Errors occur
mostly under the condition: at random, but twice as often on one site; only in episodes that would have failed; or only
in those that would have succeeded.
"""

from collections.abc import Iterator
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from stressweb.analysis.statistics import (
    ALPHA,
    Floats,
    Interval,
    difference_interval,
    enclosing,
    holm,
    rate_interval,
    retention_interval,
    sign_flip,
)

SEED = 20261122
TASKS = (5, 12, 30)
REPEATS = (1, 3, 5)
LOSSES = (0.0, 0.05, 0.15, 0.30)
RUNS = 2000
"""Number of simulated runs of a scenario in `make audit` and for the documents."""
FAMILY = 6
"""Number of conditions compared with clean in the runs that count alarms."""
_HOLLOW = 0.6
"""Share of failures in which the agent claims to be done."""

type Figure = Literal["difference", "success", "false success", "retention"]
FIGURES: tuple[Figure, ...] = ("difference", "success", "false success", "retention")


class Population(NamedTuple):
    """The distribution of tasks."""

    name: str
    means: tuple[float, float]
    """Mean clean success rate on each of two sites."""
    concentration: float
    """Sum of the parameters of the beta distribution; below 2, most tasks nearly always succeed or nearly always
    fail."""
    effect: Literal["whole", "redrawn"]
    """Effect of a condition: it makes whole tasks fail, or it redraws the rate of every task, so that some gain and
    some lose, and reduces all rates by the same share."""


POPULATIONS = (
    Population("easy or hopeless tasks, some lost as a whole", (0.9, 0.6), 0.8, "whole"),
    Population("tasks gain and lose", (0.7, 0.6), 1.5, "redrawn"),
    Population("nearly perfect when clean, some tasks lost as a whole", (0.98, 0.94), 2.0, "whole"),
)


class Scenario(NamedTuple):
    """A design with a population of tasks."""

    population: Population
    tasks: int
    repeats: int
    loss: float
    """True mean loss of success, 0 to 1."""
    errors: float
    """Mean share of episodes under the condition that end in an error; under clean, a tenth of it."""
    hit: Literal["any", "failures", "successes"] = "any"
    """Outcomes that errors hide. If there are fewer of them than errors, all are hidden."""


HIDING = 0.10
"""Mean share of episodes whose outcome errors hide, in scenarios in which errors depend on the outcome."""


def hiding() -> Iterator[Scenario]:
    """Yield every scenario in which errors depend on the outcome."""
    for population, tasks, repeats, loss in product(POPULATIONS, TASKS, REPEATS, LOSSES):
        yield Scenario(population, tasks, repeats, loss, HIDING, "failures")
        yield Scenario(population, tasks, repeats, loss, HIDING, "successes")


def scenarios() -> Iterator[Scenario]:
    """Yield every scenario in which errors do not depend on the outcome."""
    for population, tasks, repeats, loss, errors in product(POPULATIONS, TASKS, REPEATS, LOSSES, (0.0, 0.12)):
        yield Scenario(population, tasks, repeats, loss, errors)


class Arms(NamedTuple):
    """Outcomes of one run: a row for each task, a column for each repeat; NaN for an error."""

    clean: Floats
    stressed: Floats
    claims: Floats
    """1 for an episode under the condition that claimed to be done, else 0; NaN for an error."""


class Coverage(NamedTuple):
    """The outcome of many runs of a scenario."""

    covered: dict[Figure, float]
    """Share of the runs with an interval in which it contains the true value; figures never measured are omitted."""
    missing: dict[Figure, float]
    """Share of the runs without an interval."""


def simulate(scenario: Scenario, runs: int = RUNS, *, ignoring: bool = False) -> Coverage:
    """Run a scenario many times and return how often each interval contained the true value.

    `ignoring`: use intervals that assume that errors do not depend on the outcome.
    """
    intervals_of = intervals_without_errors if ignoring else intervals
    true = truth(scenario)
    # Seed with the scenario itself, so that adding a scenario does not change the figures of others.
    generator = np.random.default_rng([SEED, *map(ord, repr(scenario))])
    held: dict[Figure, list[bool]] = {figure: [] for figure in FIGURES}
    for _ in range(runs):
        for figure, interval in intervals_of(draw(scenario, generator)).items():
            if interval is not None:
                # Allow for rounding errors at the ends.
                held[figure].append(interval.low - 1e-9 <= true[figure] <= interval.high + 1e-9)
    # Omit figures that no run could measure: their share would be 0 of 0.
    covered = {figure: float(np.mean(holds)) for figure, holds in held.items() if holds}
    return Coverage(covered, {figure: 1 - len(holds) / runs for figure, holds in held.items()})


class Alarms(NamedTuple):
    """Shares of runs without a loss in which the test gives an alarm."""

    single: float
    """For one condition, by its p-value."""
    family: float
    """For any of `FAMILY` conditions, by adjusted p-values."""


def alarms(scenario: Scenario, runs: int = RUNS) -> Alarms:
    """Run a scenario many times, with several conditions and one clean arm, and return how often the test alarms."""
    generator = np.random.default_rng([SEED, *map(ord, repr(scenario))])
    single = family = 0
    for _ in range(runs):
        tests = [sign_flip(differences(arms)) for arms in draws(scenario, generator, FAMILY)]
        single += tests[0] <= ALPHA
        family += min(holm(tests)) <= ALPHA
    return Alarms(single / runs, family / runs)


def intervals(arms: Arms) -> dict[Figure, Interval | None]:
    """Return the intervals that a run with these outcomes would show, which allow for all outcomes hidden by errors."""
    worst = intervals_without_errors(supposed(arms, success=False))
    if not any(np.isnan(arm).any() for arm in arms):
        return worst
    best = intervals_without_errors(supposed(arms, success=True))
    return {figure: enclosing(worst[figure], best[figure]) for figure in FIGURES}


def supposed(arms: Arms, *, success: bool) -> Arms:
    """Return a run in which errors are claimed successes under the condition and failures under clean, or reversed."""
    clean, stressed = float(not success), float(success)
    return Arms(np.nan_to_num(arms.clean, nan=clean), np.nan_to_num(arms.stressed, nan=stressed),
                np.nan_to_num(arms.claims, nan=1.0))  # fmt: skip


def intervals_without_errors(arms: Arms) -> dict[Figure, Interval | None]:
    """Return the intervals of the known outcomes, without errors."""
    clean, stressed = pairs(arms)
    counted = ~np.isnan(arms.stressed)
    # As in the analysis of real runs, a task with errors in all episodes has no rate.
    tasks = counted.any(axis=1)
    outcomes, claims = np.nan_to_num(arms.stressed), np.nan_to_num(arms.claims)
    rates = outcomes[tasks].sum(axis=1) / counted[tasks].sum(axis=1)
    return {
        "difference": difference_interval((stressed - clean).tolist()),
        "success": rate_interval(rates.tolist()),
        "false success": rate_interval(_sums(claims * (1 - outcomes)), _sums(claims)),
        "retention": retention_interval(stressed.tolist(), clean.tolist()),
    }


def differences(arms: Arms) -> list[float]:
    """Return the paired difference of each task with at least one pair without an error."""
    clean, stressed = pairs(arms)
    differences_of_tasks: list[float] = (stressed - clean).tolist()
    return differences_of_tasks


def pairs(arms: Arms) -> tuple[Floats, Floats]:
    """Return the means of both arms over pairs without an error, for each task with such a pair."""
    # As in the analysis, an error in one arm also excludes the other arm's episode.
    both = ~np.isnan(arms.clean) & ~np.isnan(arms.stressed)
    tasks = both.any(axis=1)
    means = (np.where(both, arm, 0.0)[tasks].sum(axis=1) / both[tasks].sum(axis=1) for arm in arms[:2])
    clean, stressed = means
    return clean, stressed


def draw(scenario: Scenario, generator: np.random.Generator) -> Arms:
    """Draw one run."""
    (arms,) = draws(scenario, generator, 1)
    return arms


def draws(scenario: Scenario, generator: np.random.Generator, family: int) -> list[Arms]:
    """Draw one run with several conditions that share a clean arm."""
    rates = clean_rates(scenario, generator)
    shares = _hidden_shares(scenario)
    # Use one clean arm for all conditions: in a real run, its luck affects all differences.
    clean = _arm(rates, scenario, generator, scenario.errors / 10, shares.clean)
    all_arms = []
    for _ in range(family):
        rates_under = stressed_rates(rates, scenario, generator)
        stressed = _arm(rates_under, scenario, generator, scenario.errors, shares.stressed)
        # The agent claims to be done after every success, and after six of ten failures.
        claimed = np.maximum(stressed, generator.random(stressed.shape) < _HOLLOW)
        all_arms.append(Arms(clean, stressed, np.where(np.isnan(stressed), np.nan, claimed)))
    return all_arms


def truth(scenario: Scenario) -> dict[Figure, float]:
    """Return the true value of each figure."""
    clean = float(np.array(scenario.population.means)[_sites(scenario.tasks)].mean())
    success = clean - scenario.loss
    # All successes are claimed, and this share of the failures, which gives the share of false claims.
    false = _HOLLOW * (1 - success)
    return {
        "difference": -scenario.loss,
        "success": success,
        "false success": false / (success + false),
        "retention": success / clean,
    }


def clean_rates(scenario: Scenario, generator: np.random.Generator) -> Floats:
    """Draw a true success rate for each task."""
    means = np.array(scenario.population.means)[_sites(scenario.tasks)]
    first, second = means * scenario.population.concentration, (1 - means) * scenario.population.concentration
    return generator.beta(first, second)


def stressed_rates(clean: Floats, scenario: Scenario, generator: np.random.Generator) -> Floats:
    """Return the true success rate of each task under the condition."""
    # Reduce the rates by a share, so that the expected mean falls by exactly `loss`.
    lost = scenario.loss / float(np.array(scenario.population.means)[_sites(scenario.tasks)].mean())
    if scenario.population.effect == "whole":
        return clean * (generator.random(clean.size) >= lost)
    return clean_rates(scenario, generator) * (1 - lost)


def _sites(tasks: int) -> npt.NDArray[np.int64]:
    return np.arange(tasks) % 2


class _Shares(NamedTuple):
    """Shares of the outcomes that errors can hide."""

    clean: float
    stressed: float


def _hidden_shares(scenario: Scenario) -> _Shares:
    success = truth(scenario)["success"]
    clean = success + scenario.loss
    return _Shares(1 - clean, 1 - success) if scenario.hit == "failures" else _Shares(clean, success)


def _arm(rates: Floats, scenario: Scenario, generator: np.random.Generator, errors: float, share_hit: float) -> Floats:
    shape = (rates.size, scenario.repeats)
    outcomes = (generator.random(shape) < rates[:, None]).astype(np.float64)
    if scenario.hit != "any":
        hit = outcomes == (scenario.hit == "successes")
        outcomes[hit & (generator.random(shape) < min(1.0, errors / share_hit))] = np.nan
        return outcomes
    # Two thirds of the errors are on one site.
    share = errors * np.array([2 / 3, 4 / 3])[_sites(rates.size), None]
    outcomes[generator.random(shape) < share] = np.nan
    return outcomes


def _sums(values: Floats) -> list[float]:
    sums: list[float] = values.sum(axis=1).tolist()
    return sums
