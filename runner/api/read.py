"""Reads a recorded run, given by its name, its folder or its bundle."""

from runner.outcome.results import graded, recorded_prices, with_episodes
from stressweb.bundle.located_run import LocatedRun, locate_run

__all__ = ["LocatedRun", "graded", "locate_run", "recorded_prices", "with_episodes"]
