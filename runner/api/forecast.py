"""Forecast of a plan: its time, its cost and its exposure."""

from stressweb.runner.execution.forecast import Forecast, forecast
from stressweb.runner.plan.expected import Expected
from stressweb.runner.plan.exposure_forecast import Exposure

__all__ = ["Expected", "Exposure", "Forecast", "forecast"]
