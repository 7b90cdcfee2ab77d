"""The agent that does nothing: what it scores, nobody has earned."""

from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation


class Null(Agent):
    """Fails at once."""

    name = "null"
    deterministic = True

    def act(self, observation: Observation) -> Action:
        """Give up."""
        return Action(kind="FAIL", message="I do nothing.")
