"""Forecasts the cost of a plan and its exposure to disturbances before it runs."""

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
    """A plan's forecast."""

    lanes: Lanes
    """How many episodes would run at a time on this machine."""
    expected: Expected | None
    """Expected cost according to earlier runs; None if no earlier run is comparable."""
    exposure: dict[str, Exposure]
    """How many of its tasks each condition will disturb, by the condition's label."""


def forecast(experiment: Experiment, plan: Plan, place: Place, library: Library) -> Forecast:
    """Return the forecast of a checked plan; raise UserError for more lanes than the machine can run."""
    return Forecast(
        lanes_of(experiment, plan, place, Local()),
        expected(plan, read_earlier_runs(place.runs_dir), experiment),
        exposure_forecast(plan.cells(), plan.conditions, identities(library, plan), place.runs_dir),
    )
