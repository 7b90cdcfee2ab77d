"""What is read of a recorded run, found by its name, its folder or its bundle."""

from runner.outcome.results import graded, recorded_prices, with_episodes
from stressweb.bundle.found import Found, found

__all__ = ["Found", "found", "graded", "recorded_prices", "with_episodes"]
