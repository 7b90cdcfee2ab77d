"""What a plan will take and meet, known before it runs."""

from runner.execution.forecast import Forecast, forecast
from runner.plan.expected import Expected
from runner.plan.foreknown import Exposure

__all__ = ["Expected", "Exposure", "Forecast", "forecast"]
