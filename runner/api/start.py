"""States and executes a run."""

from runner.execution.backend import Finished
from runner.execution.lanes import Lanes
from runner.execution.listener import Listener
from runner.execution.start import CarriedOut, Place, carry_out, checked, play
from runner.plan.budget import Spending
from runner.plan.experiment import OPTIONS, Experiment
from runner.plan.file import read_experiment

__all__ = [
    "OPTIONS", "CarriedOut", "Experiment", "Finished", "Lanes", "Listener", "Place", "Spending", "carry_out", "checked",
    "play", "read_experiment",
]  # fmt: skip
