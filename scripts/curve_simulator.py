"""Simulates runs over the severities of a mode with known truth, to check intervals, bands and tests of curves.

Every task has a clean success rate, and a place in the order in which severities affect tasks; sites differ in both.
With "whole" effects, a severity reduces the rates of a share of the tasks to 0: the same tasks as the previous
severity, and more. With "partial" effects, it reduces every task's rate by a share, some more than others. Episodes are
Bernoulli trials. In a pair of modes, either the affected tasks are disjoint, so that their costs add up, or they are
the same.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Literal, NamedTuple

import numpy as np

from stressweb.analysis.curves.dose import band
from stressweb.analysis.curves.estimands import Intervals, Places, of_means
from stressweb.analysis.curves.joint import Joint
from stressweb.analysis.curves.tolerance import (
    Severity,
    SeverityInterval,
    Tolerance,
    crossing,
    isotonic,
    tolerance,
)
from stressweb.analysis.curves.trend import finds_trend
from stressweb.analysis.statistics import ALPHA, Floats, Interval, sign_flip

SEED = 20261123
SEVERITIES = (1, 2, 3, 4, 5)
RUNS = 1000
"""Number of simulated runs of a scenario in `make audit` and for the documents."""
RESAMPLES = 200
"""Number of resamples of the percentile bootstrap, which is measured only for comparison."""

type Figure = Literal["pointwise", "band", "mean difference", "tolerance", "bootstrap tolerance", "interaction"]
FIGURES: tuple[Figure, ...] = (
    "pointwise", "band", "mean difference", "tolerance", "bootstrap tolerance", "interaction",
)  # fmt: skip
type Test = Literal["trend", "interaction"]


class Shape(NamedTuple):
    """Mean loss of success under a mode at each severity, over tasks and sites."""

    name: str
    losses: tuple[float, ...]


SHAPES = (
    Shape("none", (0.0, 0.0, 0.0, 0.0, 0.0)),
    Shape("even", (0.06, 0.12, 0.18, 0.24, 0.30)),
    Shape("steep", (0.15, 0.30, 0.45, 0.55, 0.60)),
)


LEVEL = Shape("level", (0.15, 0.15, 0.15, 0.15, 0.15))
"""A mode with the same loss at every severity: there is no trend, but all other figures have a non-zero true value."""


class Design(NamedTuple):
    """The size of a run."""

    sites: int
    """2: always the same sites; more: each run draws its sites, and intervals for new sites are measured."""
    tasks: int
    """Total number of tasks."""
    repeats: int

    @property
    def new(self) -> bool:
        """Whether each run draws its sites."""
        return self.sites > 2


DESIGNS = (
    Design(2, 5, 1),
    Design(2, 12, 1),
    Design(2, 12, 3),
    Design(2, 30, 1),
    Design(2, 30, 3),
    Design(5, 60, 1),
    Design(10, 150, 1),
)


class Scenario(NamedTuple):
    """A design with a population of tasks."""

    design: Design
    clean: tuple[float, float]
    """Mean clean success rate and concentration of the beta distribution of tasks."""
    effect: Literal["whole", "partial"]
    shape: Shape


CLEANS = ((0.75, 0.8), (0.95, 2.0))
"""Tasks that are easy or hopeless; tasks that nearly always succeed when clean."""


def scenarios(designs: Sequence[Design] = DESIGNS) -> Iterator[Scenario]:
    """Yield every scenario of the table."""
    for design, clean, effect, shape in product(designs, CLEANS, ("whole", "partial"), (*SHAPES, LEVEL)):
        yield Scenario(design, clean, effect, shape)  # type: ignore[arg-type]


class Rates(NamedTuple):
    """True success rates in one run."""

    where: Places
    clean: Floats
    stressed: Floats
    """A row for each task, a column for each severity."""
    pair: Floats
    """Columns for mode A, mode B, and both; whether their costs add up depends on the scenario."""


class Truth(NamedTuple):
    """True values of the figures."""

    differences: Floats
    tolerance: Severity
    interaction: float


class Coverage(NamedTuple):
    """The outcome of many runs of a scenario."""

    covered: dict[Figure, float]
    """Share of the runs with an interval in which the interval contains the true value."""
    alarms: dict[Test, float]
    """Share of the runs with a false alarm of a test at 5 %, in scenarios without this effect."""


def simulate(scenario: Scenario, runs: int = RUNS, *, bootstrapped: int = 0) -> Coverage:
    """Run a scenario many times; the intervals are those for new sites if each run draws its sites.

    The first `bootstrapped` runs also measure the bootstrap of the tolerance.
    """
    # Seed with the scenario itself, so that adding a scenario does not change the figures of others.
    generator = np.random.default_rng([SEED, *map(ord, repr(scenario))])
    true = truth(scenario)
    held: dict[Figure, list[bool]] = {}
    alarmed: dict[Test, list[bool]] = {}
    for run in range(runs):
        joint, both = draw(scenario, generator)
        for figure, holds in covers(scenario, joint, both, true).items():
            held.setdefault(figure, []).append(holds)
        # Without a clean success there is no retention to resample.
        if run < bootstrapped and joint.clean.any():
            interval = bootstrap(joint, generator)
            held.setdefault("bootstrap tolerance", []).append(_holds(interval, true.tolerance))
        for test, alarm in alarms(scenario, joint, both).items():
            alarmed.setdefault(test, []).append(alarm)
    return Coverage(
        {figure: float(np.mean(holds_in_runs)) for figure, holds_in_runs in held.items()},
        {test: float(np.mean(alarms_in_runs)) for test, alarms_in_runs in alarmed.items()},
    )


def covers(scenario: Scenario, joint: Joint, interactions: Floats, true: Truth) -> dict[Figure, bool]:
    """Return for each interval of one run whether it contains the true value; missing intervals are omitted."""
    middle = len(SEVERITIES) // 2
    mean_differences = joint.differences.mean(axis=1)
    tolerated = tolerance(joint, SEVERITIES)
    intervals: dict[Figure, tuple[Intervals | Tolerance, float | Severity]] = {
        "pointwise": (of_means(joint.differences[:, middle], joint.where), float(true.differences[middle])),
        "mean difference": (of_means(mean_differences, joint.where), float(true.differences.mean())),
        "interaction": (of_means(interactions, joint.where, reach=2.0), true.interaction),
    }
    if tolerated:
        intervals["tolerance"] = tolerated, true.tolerance
    new = scenario.design.new
    holds = {figure: _holds(_chosen(both, new=new), value) for figure, (both, value) in intervals.items()}
    bands = zip(band(joint), true.differences.tolist(), strict=True)
    return {**holds, "band": all(_holds(_chosen(both, new=new), value) for both, value in bands)}


def _chosen(both: Intervals | Tolerance, *, new: bool) -> Interval | SeverityInterval | None:
    return both.new_sites if new else both.these_sites


def alarms(scenario: Scenario, joint: Joint, both: Floats) -> dict[Test, bool]:
    """Return for each test whether it gives a false alarm; tests whose effect exists are omitted."""
    # These tests are about tasks, and do not account for a sample of sites.
    if scenario.design.new:
        return {}
    alarmed: dict[Test, bool] = {}
    if len(set(scenario.shape.losses)) == 1:
        # Reverse the columns, because the test expects the column with the highest prediction last: the lowest
        # severity.
        alarmed["trend"] = finds_trend(joint.stressed[:, ::-1])
    if adds_up(scenario):
        alarmed["interaction"] = sign_flip(both.tolist()) <= ALPHA
    return alarmed


def adds_up(scenario: Scenario) -> bool:
    """Return whether the costs of the two modes of a scenario add up."""
    # Costs add up if the modes affect different tasks. If they affect the same tasks, the total is lower.
    return scenario.effect == "whole"


def _holds(interval: Interval | SeverityInterval | None, true: float | Severity) -> bool:
    if isinstance(interval, SeverityInterval):
        assert isinstance(true, Severity)
        low, high, value = interval.low.rank, interval.high.rank, true.rank
        # Ends between two severities have a precision of a hundredth.
        return low <= (value[0], value[1] + 0.01) and (value[0], value[1] - 0.01) <= high
    assert interval is not None
    assert isinstance(true, float)
    return interval.low - 1e-9 <= true <= interval.high + 1e-9


def draw(scenario: Scenario, generator: np.random.Generator) -> tuple[Joint, Floats]:
    """Return one run: its outcomes by severity, and the interaction of each task."""
    rates = draw_rates(scenario, generator)
    repeats = scenario.design.repeats

    def outcomes(true: Floats) -> Floats:
        return (generator.random((*true.shape, repeats)) < true[..., None]).mean(axis=-1)

    clean, stressed, pair = outcomes(rates.clean), outcomes(rates.stressed), outcomes(rates.pair)
    interaction = pair[:, 2] - pair[:, 0] - pair[:, 1] + clean
    columns = np.repeat(clean[:, None], len(SEVERITIES), axis=1)
    return Joint(rates.where, columns, stressed), interaction


def draw_rates(scenario: Scenario, generator: np.random.Generator) -> Rates:
    """Draw the true rates of one run."""
    design = scenario.design
    where = np.arange(design.tasks) % design.sites
    # The loss of a site's tasks depends on its sensitivity; two sites always have the same.
    sensitive = generator.uniform(0.5, 1.5, design.sites) if design.new else np.array([0.5, 1.5])
    mean, concentration = scenario.clean
    own = generator.uniform(-1, 1, design.sites) if design.new else np.array([-1.0, 1.0])
    # At most 0.8 of the distance to 0 or 1, so that every site has tasks that succeed and tasks that fail.
    means = (mean + 0.8 * min(mean, 1 - mean) * own)[where]
    clean = generator.beta(means * concentration, (1 - means) * concentration)
    lost = np.minimum(1.0, sensitive[where][:, None] * np.array(scenario.shape.losses))
    # Half of a medium loss, so that the tasks of both modes can be disjoint.
    pair_lost = 0.5 * lost[:, 2]
    place = generator.random(design.tasks)
    if scenario.effect == "whole":
        first, second = place < pair_lost, (place >= pair_lost) & (place < 2 * pair_lost)
        stressed = clean[:, None] * (place[:, None] >= lost)
        pair = clean[:, None] * ~np.column_stack([first, second, first | second])
    else:
        # A task loses up to twice its site's share.
        part = np.minimum(1.0, 2 * place[:, None] * lost)
        stressed = clean[:, None] * (1 - part)
        share = 1 - np.minimum(1.0, 2 * place * pair_lost)
        pair = clean[:, None] * np.column_stack([share, share, share])
    return Rates(where, clean, stressed, pair)


def truth(scenario: Scenario, runs: int = 100) -> Truth:
    """Return the true values as means over very many tasks (and over sites, if runs draw them)."""
    generator = np.random.default_rng([SEED, 1, *map(ord, repr(scenario))])
    # Two fixed sites, or so many drawn sites that the draw no longer matters.
    sites = 2 if not scenario.design.new else 2000
    many = scenario._replace(design=scenario.design._replace(sites=sites, tasks=2000))
    total = np.zeros((0, 0))
    for _ in range(runs):
        rates = draw_rates(many, generator)
        clean = rates.clean.mean()
        pair = rates.pair.mean(axis=0)
        row = np.array([clean, *rates.stressed.mean(axis=0), pair[2] - pair[0] - pair[1] + clean])
        total = row[None] if not total.size else np.vstack([total, row])
    clean, *stressed, interaction = total.mean(axis=0).tolist()
    crossed = crossing(SEVERITIES, isotonic([rate / clean for rate in stressed]))
    return Truth(np.array(stressed) - clean, crossed, interaction)


def bootstrap(joint: Joint, generator: np.random.Generator) -> SeverityInterval:
    """Return the percentile bootstrap of the tolerance, resampling tasks within sites, for comparison."""
    # Resampling with replacement is the same as multinomial weights, so one matrix product makes all resamples.
    weights = np.zeros((RESAMPLES, joint.tasks))
    for site in np.unique(joint.where):
        own = np.flatnonzero(joint.where == site)
        weights[:, own] = generator.multinomial(own.size, np.full(own.size, 1 / own.size), RESAMPLES)
    bottom, top = weights @ joint.clean, weights @ joint.stressed
    # Omit resamples without a clean success, which have no retention.
    curves = (top / np.where(bottom > 0, bottom, np.nan))[(bottom > 0).all(axis=1)]
    drawn = sorted(
        (crossing(SEVERITIES, isotonic(curve)) for curve in curves.tolist()), key=lambda severity: severity.rank
    )
    return SeverityInterval(drawn[int(0.025 * len(drawn))], drawn[min(len(drawn) - 1, int(0.975 * len(drawn)))])
