"""Forecasts the cost of a plan and its exposure to disturbances before it runs."""

from typing import NamedTuple

from stressweb.log.plan import Plan
from stressweb.runner.execution.lanes import Lanes
from stressweb.runner.execution.local import Local
from stressweb.runner.execution.start import Place, lanes_of
from stressweb.runner.plan.earlier_runs import read_earlier_runs
from stressweb.runner.plan.expected import Expected, expected
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.plan.exposure_forecast import Exposure, exposure_forecast
from stressweb.runner.registry import Library
from stressweb.runner.registry.identity import identities


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
