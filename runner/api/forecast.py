"""Forecast of a plan: its time, its cost and its exposure."""

from runner.execution.forecast import Forecast, forecast
from runner.plan.expected import Expected
from runner.plan.exposure_forecast import Exposure

__all__ = ["Expected", "Exposure", "Forecast", "forecast"]
