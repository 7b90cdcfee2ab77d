"""Writes the report of a recorded run."""

from stressweb.runner.outcome.reporting import Written, write

__all__ = ["Written", "write"]
