"""Simulated runs with known truth: how often the intervals cover, and how often the test alarms without a loss.

Tasks are drawn anew for every run. A task's clean success rate follows a beta distribution whose mean depends on its
site, its episodes are Bernoulli trials of that rate, and a condition takes away a share of the rates on average. Errors
occur mostly under the condition: by chance, twice as often on one site, or only in episodes that would have failed, or
only in those that would have succeeded.
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
"""Simulated runs of a scenario in `make audit` and for the documents."""
FAMILY = 6
"""Conditions that are compared with clean in the runs that count alarms."""
_HOLLOW = 0.6
"""Share of the failures in which an agent claims to be done."""

type Figure = Literal["difference", "success", "false success", "retention"]
FIGURES: tuple[Figure, ...] = ("difference", "success", "false success", "retention")


class Population(NamedTuple):
    """Where tasks come from."""

    name: str
    means: tuple[float, float]
    """Mean clean success rate on either of two sites."""
    concentration: float
    """Sum of the parameters of the beta distribution: below 2 most tasks are nearly always won or lost."""
    effect: Literal["whole", "redrawn"]
    """What a condition does: it takes whole tasks, or it draws the rate of every task anew, so that some gain and some
    lose, and takes the same share of each."""


POPULATIONS = (
    Population("easy or hopeless tasks, some lost as a whole", (0.9, 0.6), 0.8, "whole"),
    Population("tasks gain and lose", (0.7, 0.6), 1.5, "redrawn"),
    Population("nearly perfect when clean, some tasks lost as a whole", (0.98, 0.94), 2.0, "whole"),
)


class Scenario(NamedTuple):
    """One design, run on one population."""

    population: Population
    tasks: int
    repeats: int
    loss: float
    """True mean loss of success, 0 to 1."""
    errors: float
    """Mean share of episodes under the condition that end in an error; a tenth of it under clean."""
    hit: Literal["any", "failures", "successes"] = "any"
    """Which outcomes errors hide. If there are fewer of these than errors, all of them are hidden."""


HIDING = 0.10
"""Mean share of episodes whose outcome errors hide in the scenarios in which they depend on it."""


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


class Found(NamedTuple):
    """What came out of many runs of a scenario."""

    covered: dict[Figure, float]
    """Share of the runs with an interval in which it holds the true value; a figure never measured is left out."""
    missing: dict[Figure, float]
    """Share of the runs in which there was none."""


def simulate(scenario: Scenario, runs: int = RUNS, *, ignoring: bool = False) -> Found:
    """Run a scenario many times and return how often each interval held the true value.

    `ignoring`: the intervals that would be shown if errors were taken to be no matter of the outcome.
    """
    intervals_of = intervals_without_errors if ignoring else intervals
    true = truth(scenario)
    # Seeded by the scenario itself: adding one to the table leaves the figures of the others as they were.
    generator = np.random.default_rng([SEED, *map(ord, repr(scenario))])
    held: dict[Figure, list[bool]] = {figure: [] for figure in FIGURES}
    for _ in range(runs):
        for figure, interval in intervals_of(draw(scenario, generator)).items():
            if interval is not None:
                # An end that equals the truth up to rounding holds it.
                held[figure].append(interval.low - 1e-9 <= true[figure] <= interval.high + 1e-9)
    # A figure that no run could measure has no share: it would be 0 of 0.
    covered = {figure: float(np.mean(holds)) for figure, holds in held.items() if holds}
    return Found(covered, {figure: 1 - len(holds) / runs for figure, holds in held.items()})


class Alarms(NamedTuple):
    """Shares of runs without a loss in which the test finds a difference."""

    single: float
    """In one condition, by the p-value as it is."""
    family: float
    """In any of `FAMILY` conditions, by the adjusted p-values."""


def alarms(scenario: Scenario, runs: int = RUNS) -> Alarms:
    """Run a scenario many times, several conditions against one clean arm, and return how often the test alarms."""
    generator = np.random.default_rng([SEED, *map(ord, repr(scenario))])
    single = family = 0
    for _ in range(runs):
        tests = [sign_flip(differences(arms)) for arms in draws(scenario, generator, FAMILY)]
        single += tests[0] <= ALPHA
        family += min(holm(tests)) <= ALPHA
    return Alarms(single / runs, family / runs)


def intervals(arms: Arms) -> dict[Figure, Interval | None]:
    """Return the intervals that a run of these outcomes would show under the condition, whatever its errors hide."""
    worst = intervals_without_errors(supposed(arms, success=False))
    if not any(np.isnan(arm).any() for arm in arms):
        return worst
    best = intervals_without_errors(supposed(arms, success=True))
    return {figure: enclosing(worst[figure], best[figure]) for figure in FIGURES}


def supposed(arms: Arms, *, success: bool) -> Arms:
    """Return a run with every error as a claimed success under the condition and a failure under clean; or reversed."""
    clean, stressed = float(not success), float(success)
    return Arms(np.nan_to_num(arms.clean, nan=clean), np.nan_to_num(arms.stressed, nan=stressed),
                np.nan_to_num(arms.claims, nan=1.0))  # fmt: skip


def intervals_without_errors(arms: Arms) -> dict[Figure, Interval | None]:
    """Return the intervals of the outcomes that there are; errors are left out."""
    clean, stressed = pairs(arms)
    counted = ~np.isnan(arms.stressed)
    # A task whose episodes all ended in errors has no rate, as in the analysis of a real run.
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
    """Return the paired difference of each task that has a pair without an error."""
    clean, stressed = pairs(arms)
    differences_of_tasks: list[float] = (stressed - clean).tolist()
    return differences_of_tasks


def pairs(arms: Arms) -> tuple[Floats, Floats]:
    """Return both arms' means over the pairs without an error, for each task that has one."""
    # A pair counts only whole, as in the analysis: an error in one arm takes the other arm's episode out, too.
    both = ~np.isnan(arms.clean) & ~np.isnan(arms.stressed)
    tasks = both.any(axis=1)
    means = (np.where(both, arm, 0.0)[tasks].sum(axis=1) / both[tasks].sum(axis=1) for arm in arms[:2])
    clean, stressed = means
    return clean, stressed


def draw(scenario: Scenario, generator: np.random.Generator) -> Arms:
    """Return one run."""
    (arms,) = draws(scenario, generator, 1)
    return arms


def draws(scenario: Scenario, generator: np.random.Generator, family: int) -> list[Arms]:
    """Return one run with several conditions that share a clean arm."""
    rates = clean_rates(scenario, generator)
    shares = _hidden_shares(scenario)
    # One clean arm for all conditions, because in a real run their differences share its luck.
    clean = _arm(rates, scenario, generator, scenario.errors / 10, shares.clean)
    all_arms = []
    for _ in range(family):
        rates_under = stressed_rates(rates, scenario, generator)
        stressed = _arm(rates_under, scenario, generator, scenario.errors, shares.stressed)
        # An agent claims to be done whenever it succeeds, and in six of ten failures.
        claimed = np.maximum(stressed, generator.random(stressed.shape) < _HOLLOW)
        all_arms.append(Arms(clean, stressed, np.where(np.isnan(stressed), np.nan, claimed)))
    return all_arms


def truth(scenario: Scenario) -> dict[Figure, float]:
    """Return the true value of each figure."""
    clean = float(np.array(scenario.population.means)[_sites(scenario.tasks)].mean())
    success = clean - scenario.loss
    # Every success is claimed, and this share of the failures: false claims among all claims follow from the two.
    false = _HOLLOW * (1 - success)
    return {
        "difference": -scenario.loss,
        "success": success,
        "false success": false / (success + false),
        "retention": success / clean,
    }


def clean_rates(scenario: Scenario, generator: np.random.Generator) -> Floats:
    """Return a true success rate for each task."""
    means = np.array(scenario.population.means)[_sites(scenario.tasks)]
    first, second = means * scenario.population.concentration, (1 - means) * scenario.population.concentration
    return generator.beta(first, second)


def stressed_rates(clean: Floats, scenario: Scenario, generator: np.random.Generator) -> Floats:
    """Return the true success rate of each task under the condition."""
    # As a share of the rates, so that the mean over tasks falls by exactly `loss`.
    lost = scenario.loss / float(np.array(scenario.population.means)[_sites(scenario.tasks)].mean())
    if scenario.population.effect == "whole":
        return clean * (generator.random(clean.size) >= lost)
    return clean_rates(scenario, generator) * (1 - lost)


def _sites(tasks: int) -> npt.NDArray[np.int64]:
    return np.arange(tasks) % 2


class _Shares(NamedTuple):
    """How often there is an outcome that errors hide."""

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
