"""Breaking points of real episodes, checked by episodes at rates just below and above."""

from math import inf

import pytest

from stressweb.core.draws import Seeds
from stressweb.core.errors import UserError
from stressweb.core.page_draws import rule_words
from stressweb.log.recording import Cell
from stressweb.perturbations.remap import Remap
from stressweb.plugins.perturbation import Perturbation, Rate, table
from stressweb.plugins.perturbation import Stage as When
from stressweb.plugins.rule import Rule
from stressweb.runner.agents import build, parse
from stressweb.runner.causes.bisection import BreakingPoint
from stressweb.runner.causes.stage import CauseStage
from stressweb.runner.causes.survival import Point, point, rate_of, sampled, severity_at, survival
from stressweb.runner.registry import conditions
from tests.runner.causes.planted_causes import TASK

TABLE = (0, 0.1, 0.2, 0.35, 0.42, 0.5)


NAIVE = parse("naive")


def passes(stage: CauseStage, mode: str, parameter: str, rate: float, stress: int) -> bool:
    """Return whether an ordinary episode at a rate passes."""
    (condition,) = conditions(f"{mode}({parameter}={rate!r})")
    cell = Cell(agent="naive", task=TASK, condition=condition.label, world=0, stress=stress)
    grade = stage.play(cell, condition, lambda: build(NAIVE)).grade
    return grade is not None and grade.success


@pytest.mark.sample(1, "points")
@pytest.mark.parametrize(("mode", "parameter", "stress"), [("failure", "rate", 0), ("remap", "share", 0)])
def test_an_agent_passes_below_its_point_and_fails_above(
    stage: CauseStage, mode: str, parameter: str, stress: int
) -> None:
    measured = point(stage, NAIVE, TASK, mode, 0, stress)
    rate = measured.rates.passes_to
    assert 0 < rate < 1, "the agent breaks under this seed"
    assert measured.rates.exact
    assert passes(stage, mode, parameter, rate, stress)
    assert not passes(stage, mode, parameter, rate + 1e-9, stress)


@pytest.mark.sample(1, "points")
def test_dialogs_have_draws_too(stage: CauseStage) -> None:
    measured = point(stage, NAIVE, TASK, "popup", 0, 0)
    assert measured.rates.draws
    assert measured.rates.runs <= 5


@pytest.mark.parametrize(
    ("rate", "severity"), [(-1, -1), (0, 0), (0.05, 0.5), (0.1, 1), (0.275, 2.5), (0.5, 5), (inf, inf), (0.7, inf)]
)
def test_a_rate_is_a_severity(rate: float, severity: float) -> None:
    assert severity_at(rate, TABLE) == pytest.approx(severity)


def test_a_mode_without_a_rate_has_no_point() -> None:
    assert rate_of(Remap) == "share"

    class Plain(Perturbation):
        """A mode in which no single draw decides about an attempt."""

        mode = "plain"
        stage = When.PERCEPTION
        severities = table(density=(0.1, 0.2, 0.3, 0.4, 0.5))
        density: Rate = 0.3

        def rule(self, seeds: Seeds) -> Rule:
            """Return a rule with its own draws."""
            return Rule(mode=self.mode, rule=rule_words(seeds, self.mode))

    message = r"mode plain has no rate, .*; choose remap, remap_explicit, failure"
    with pytest.raises(UserError, match=message):
        rate_of(Plain)


def test_survival_is_counted_among_what_passes_undisturbed() -> None:
    exact = BreakingPoint(0.1, 0.1, monotone=True, runs=3, draws=2)
    points = [
        Point("naive", TASK, "failure", seed, exact, severity) for seed, severity in enumerate((-1, 0.5, 2, 2.5, inf))
    ]
    assert survival(points) == [(1, 3, 4), (2, 3, 4), (3, 1, 4), (4, 1, 4), (5, 1, 4)]
    assert [str(breaking) for breaking in points] == ["clean", "0.5", "2.0", "2.5", ">5"]
    odd = points[3]._replace(rates=exact._replace(monotone=False, fails_from=0.2))
    assert str(odd) == "2.5?~"


@pytest.mark.audit
def test_an_estimate_is_over_tasks_that_pass_undisturbed(stage: CauseStage) -> None:
    sample = sampled(stage, NAIVE, "failure", [TASK], 0, most=3)
    assert sample.tasks == (TASK,)
    assert sample.estimate is not None
    assert sample.estimate.episodes == 3
    assert sampled(stage, parse("null"), "failure", [TASK], 0).estimate is None
