"""The agent that does nothing, as a baseline: any score is a grading bug."""

from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation


class Null(Agent):
    """Gives up at once."""

    name = "null"
    deterministic = True

    def act(self, observation: Observation) -> Action:
        """Give up."""
        return Action(kind="FAIL", message="I do nothing.")
