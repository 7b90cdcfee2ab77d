"""What a plan will take and meet, known before it runs."""

from typing import NamedTuple

from runner.execution.lanes import Lanes
from runner.execution.local import Local
from runner.execution.start import Place, lanes_of
from runner.plan.earlier_runs import read_earlier_runs
from runner.plan.expected import Expected, expected
from runner.plan.experiment import Experiment
from runner.plan.exposure_forecast import Exposure, exposure_forecast
from runner.registry import Library
from runner.registry.identity import identities
from stressweb.log.plan import Plan


class Forecast(NamedTuple):
    """What is known of a plan before it runs."""

    lanes: Lanes
    """How many episodes would run at a time on this machine."""
    expected: Expected | None
    """What it takes, by earlier runs; None if none says anything about it."""
    exposure: dict[str, Exposure]
    """How many of its tasks will meet each condition, by the condition's label."""


def forecast(experiment: Experiment, plan: Plan, place: Place, library: Library) -> Forecast:
    """Return what is known of a checked plan; raises UserError for more lanes than the machine can bear."""
    return Forecast(
        lanes_of(experiment, plan, place, Local()),
        expected(plan, read_earlier_runs(place.runs_dir), experiment),
        exposure_forecast(plan.cells(), plan.conditions, identities(library, plan), place.runs_dir),
    )
