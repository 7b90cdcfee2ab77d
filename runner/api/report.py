"""The report of a recorded run."""

from runner.outcome.reporting import write

__all__ = ["write"]
