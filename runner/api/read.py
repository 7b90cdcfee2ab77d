"""Reads a recorded run by its name, folder or bundle."""

from stressweb.bundle.located_run import LocatedRun, locate_run
from stressweb.runner.outcome.results import graded, recorded_prices, with_episodes

__all__ = ["LocatedRun", "graded", "locate_run", "recorded_prices", "with_episodes"]
