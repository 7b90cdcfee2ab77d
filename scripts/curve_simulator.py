"""Simulated runs over the severities of a mode, with known truth: do intervals, bands and tests of curves hold?

Every task has a clean success rate and a place at which severity takes it; sites differ in both. Under "whole" effects
a severity takes a share of the tasks to 0, the same tasks and more at the next one; under "partial" effects it takes a
share of every task's rate, of some more than of others. Episodes are Bernoulli trials. Of a pair of modes, either the
tasks that they take are disjoint, so that their costs add up, or the second takes the same tasks first.
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
"""Simulated runs of a scenario in `make audit` and for the documents."""
RESAMPLES = 200
"""Of the percentile bootstrap, which is measured for comparison only."""

type Figure = Literal["pointwise", "band", "mean difference", "tolerance", "bootstrap tolerance", "interaction"]
FIGURES: tuple[Figure, ...] = (
    "pointwise", "band", "mean difference", "tolerance", "bootstrap tolerance", "interaction",
)  # fmt: skip
type Test = Literal["trend", "interaction"]


class Shape(NamedTuple):
    """How much success a mode takes at each severity, on average over tasks and sites."""

    name: str
    losses: tuple[float, ...]


SHAPES = (
    Shape("none", (0.0, 0.0, 0.0, 0.0, 0.0)),
    Shape("even", (0.06, 0.12, 0.18, 0.24, 0.30)),
    Shape("steep", (0.15, 0.30, 0.45, 0.55, 0.60)),
)


LEVEL = Shape("level", (0.15, 0.15, 0.15, 0.15, 0.15))
"""A mode that costs the same at every severity: there is no trend, and all other figures have something to cover."""


class Design(NamedTuple):
    """How large a run is."""

    sites: int
    """2: always the same sites; more: sites are drawn for every run, and intervals of new sites are measured."""
    tasks: int
    """In all."""
    repeats: int

    @property
    def new(self) -> bool:
        """Whether sites are drawn for every run."""
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
    """One design, run on one population."""

    design: Design
    clean: tuple[float, float]
    """Mean clean success rate and concentration of the beta distribution of tasks."""
    effect: Literal["whole", "partial"]
    shape: Shape


CLEANS = ((0.75, 0.8), (0.95, 2.0))
"""Easy or hopeless tasks; nearly perfect when clean."""


def scenarios(designs: Sequence[Design] = DESIGNS) -> Iterator[Scenario]:
    """Yield every scenario of the table."""
    for design, clean, effect, shape in product(designs, CLEANS, ("whole", "partial"), (*SHAPES, LEVEL)):
        yield Scenario(design, clean, effect, shape)  # type: ignore[arg-type]


class Rates(NamedTuple):
    """True success rates of one run."""

    where: Places
    clean: Floats
    stressed: Floats
    """A row for each task, a column for each severity."""
    pair: Floats
    """Columns A, B, and both, of which the costs add up or not, by scenario."""


class Truth(NamedTuple):
    """True values of the figures."""

    differences: Floats
    tolerance: Severity
    interaction: float


class Found(NamedTuple):
    """What came out of many runs of a scenario."""

    covered: dict[Figure, float]
    """Share of the runs with an interval in which it holds the true value."""
    alarms: dict[Test, float]
    """Share of the runs in which a test at 5 % finds what is not there; of scenarios without a loss."""


def simulate(scenario: Scenario, runs: int = RUNS, *, bootstrapped: int = 0) -> Found:
    """Run a scenario many times; the intervals are those of new sites if the sites are drawn.

    In the first `bootstrapped` runs the bootstrap of the tolerance is measured too.
    """
    # Seeded by the scenario itself: adding one to the table leaves the figures of the others as they were.
    generator = np.random.default_rng([SEED, *map(ord, repr(scenario))])
    true = truth(scenario)
    held: dict[Figure, list[bool]] = {}
    alarmed: dict[Test, list[bool]] = {}
    for run in range(runs):
        joint, both = draw(scenario, generator)
        for figure, holds in covers(scenario, joint, both, true).items():
            held.setdefault(figure, []).append(holds)
        # Without a success in clean there is no retention to resample.
        if run < bootstrapped and joint.clean.any():
            interval = bootstrap(joint, generator)
            held.setdefault("bootstrap tolerance", []).append(_holds(interval, true.tolerance))
        for test, alarm in alarms(scenario, joint, both).items():
            alarmed.setdefault(test, []).append(alarm)
    return Found(
        {figure: float(np.mean(holds_in_runs)) for figure, holds_in_runs in held.items()},
        {test: float(np.mean(alarms_in_runs)) for test, alarms_in_runs in alarmed.items()},
    )


def covers(scenario: Scenario, joint: Joint, interactions: Floats, true: Truth) -> dict[Figure, bool]:
    """Return for each interval of one run whether it holds the truth; an interval that is not there is left out."""
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
    together = zip(band(joint), true.differences.tolist(), strict=True)
    return {**holds, "band": all(_holds(_chosen(both, new=new), value) for both, value in together)}


def _chosen(both: Intervals | Tolerance, *, new: bool) -> Interval | SeverityInterval | None:
    return both.new_sites if new else both.these_sites


def alarms(scenario: Scenario, joint: Joint, both: Floats) -> dict[Test, bool]:
    """Return for each test whether it finds what is not there; a test of what is there is left out."""
    # Sites drawn for every run are a sample that these tests, which speak of tasks, do not know of.
    if scenario.design.new:
        return {}
    alarmed: dict[Test, bool] = {}
    if len(set(scenario.shape.losses)) == 1:
        # Reversed, because the test takes the column that is predicted to be the highest last: the lowest severity.
        alarmed["trend"] = finds_trend(joint.stressed[:, ::-1])
    if adds_up(scenario):
        alarmed["interaction"] = sign_flip(both.tolist()) <= ALPHA
    return alarmed


def adds_up(scenario: Scenario) -> bool:
    """Whether the two modes of a scenario cost together what they cost alone."""
    # Two modes that take different tasks cost together what each costs; two that take from the same tasks cost less.
    return scenario.effect == "whole"


def _holds(interval: Interval | SeverityInterval | None, true: float | Severity) -> bool:
    if isinstance(interval, SeverityInterval):
        assert isinstance(true, Severity)
        low, high, value = interval.low.rank, interval.high.rank, true.rank
        # An end between two severities is known to a hundredth.
        return low <= (value[0], value[1] + 0.01) and (value[0], value[1] - 0.01) <= high
    assert interval is not None
    assert isinstance(true, float)
    return interval.low - 1e-9 <= true <= interval.high + 1e-9


def draw(scenario: Scenario, generator: np.random.Generator) -> tuple[Joint, Floats]:
    """Return one run: its outcomes over severities, and the interaction of each task."""
    rates = draw_rates(scenario, generator)
    repeats = scenario.design.repeats

    def outcomes(true: Floats) -> Floats:
        return (generator.random((*true.shape, repeats)) < true[..., None]).mean(axis=-1)

    clean, stressed, pair = outcomes(rates.clean), outcomes(rates.stressed), outcomes(rates.pair)
    interaction = pair[:, 2] - pair[:, 0] - pair[:, 1] + clean
    columns = np.repeat(clean[:, None], len(SEVERITIES), axis=1)
    return Joint(rates.where, columns, stressed), interaction


def draw_rates(scenario: Scenario, generator: np.random.Generator) -> Rates:
    """Return the true rates of one run."""
    design = scenario.design
    where = np.arange(design.tasks) % design.sites
    # On how sensitive a site is depends how much of a loss its tasks have; of two sites, always the same.
    sensitive = generator.uniform(0.5, 1.5, design.sites) if design.new else np.array([0.5, 1.5])
    mean, concentration = scenario.clean
    own = generator.uniform(-1, 1, design.sites) if design.new else np.array([-1.0, 1.0])
    # At most 0.8 of the way to 0 or 1, so that every site has tasks that are won and tasks that are lost.
    means = (mean + 0.8 * min(mean, 1 - mean) * own)[where]
    clean = generator.beta(means * concentration, (1 - means) * concentration)
    lost = np.minimum(1.0, sensitive[where][:, None] * np.array(scenario.shape.losses))
    # Half of a middling loss, so that the tasks of both modes fit beside each other.
    pair_lost = 0.5 * lost[:, 2]
    place = generator.random(design.tasks)
    if scenario.effect == "whole":
        first, second = place < pair_lost, (place >= pair_lost) & (place < 2 * pair_lost)
        stressed = clean[:, None] * (place[:, None] >= lost)
        pair = clean[:, None] * ~np.column_stack([first, second, first | second])
    else:
        # A task loses up to twice the share of its site.
        part = np.minimum(1.0, 2 * place[:, None] * lost)
        stressed = clean[:, None] * (1 - part)
        share = 1 - np.minimum(1.0, 2 * place * pair_lost)
        pair = clean[:, None] * np.column_stack([share, share, share])
    return Rates(where, clean, stressed, pair)


def truth(scenario: Scenario, runs: int = 100) -> Truth:
    """Return the true values, as means over very many tasks (and sites, if they are drawn)."""
    generator = np.random.default_rng([SEED, 1, *map(ord, repr(scenario))])
    # As many sites as the truth needs: the two that are always the same, or so many that their draw no longer matters.
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
    """Return the percentile bootstrap of the tolerance, tasks drawn within site: for comparison with the inversion."""
    # Drawing tasks with replacement is giving them multinomial weights; so all resamples are one product of matrices.
    weights = np.zeros((RESAMPLES, joint.tasks))
    for site in np.unique(joint.where):
        own = np.flatnonzero(joint.where == site)
        weights[:, own] = generator.multinomial(own.size, np.full(own.size, 1 / own.size), RESAMPLES)
    bottom, top = weights @ joint.clean, weights @ joint.stressed
    # A resample without a success in clean has no retention and is left out.
    curves = (top / np.where(bottom > 0, bottom, np.nan))[(bottom > 0).all(axis=1)]
    drawn = sorted(
        (crossing(SEVERITIES, isotonic(curve)) for curve in curves.tolist()), key=lambda severity: severity.rank
    )
    return SeverityInterval(drawn[int(0.025 * len(drawn))], drawn[min(len(drawn) - 1, int(0.975 * len(drawn)))])
