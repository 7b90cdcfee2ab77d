"""Forecasts the time, cost and exposure of a plan."""

from stressweb.runner.execution.forecast import Forecast, forecast
from stressweb.runner.plan.expected import Expected
from stressweb.runner.plan.exposure_forecast import Exposure

__all__ = ["Expected", "Exposure", "Forecast", "forecast"]
