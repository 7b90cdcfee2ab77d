"""Plans and executes a run."""

from stressweb.runner.execution.backend import Finished
from stressweb.runner.execution.lanes import Lanes
from stressweb.runner.execution.listener import Listener
from stressweb.runner.execution.start import CarriedOut, Place, carry_out, check_new, checked, play
from stressweb.runner.plan.budget import Spending
from stressweb.runner.plan.experiment import OPTIONS, Experiment
from stressweb.runner.plan.file import read_experiment

__all__ = [
    "OPTIONS", "CarriedOut", "Experiment", "Finished", "Lanes", "Listener", "Place", "Spending", "carry_out",
    "check_new", "checked", "play", "read_experiment",
]  # fmt: skip
