"""The agent that only talks: what it says must never count."""

from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation


class Talker(Agent):
    """Claims at once that everything was done."""

    name = "talker"
    deterministic = True

    def act(self, observation: Observation) -> Action:
        """Claim the goal in the goal's own words."""
        return Action(
            kind="DONE",
            message=f"I completed the task successfully and verified every part of it: {self.brief.goal}",
        )
