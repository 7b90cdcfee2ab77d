"""Experiments, experiment files, and the expected cost and exposure of a plan."""
