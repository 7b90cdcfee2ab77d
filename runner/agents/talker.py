"""The agent that only claims success, as a baseline: any score is a grading bug."""

from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation


class Talker(Agent):
    """Claims at once that the task is done."""

    name = "talker"
    deterministic = True

    def act(self, observation: Observation) -> Action:
        """Claim the goal in the goal's own words."""
        return Action(
            kind="DONE",
            message=f"I completed the task successfully and verified every part of it: {self.brief.goal}",
        )
