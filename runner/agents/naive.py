"""The agent that replays the trajectory like an end-to-end test script."""

from stressweb.perception.dom_view import DomView
from stressweb.perception.targets import targets
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation
from stressweb.runner.agents.script import plain, visit


class Naive(Agent):
    """Does each step of the trajectory once, without checking the result, skips missing targets, and claims success."""

    name = "naive"
    deterministic = True
    wants = frozenset({"boxes"})

    def start(self, brief: Brief) -> None:
        """Take the trajectory."""
        super().start(brief)
        self._remaining = list(brief.steps)

    def act(self, observation: Observation) -> Action:
        """Do the next step whose target exists."""
        page = DomView(observation)
        while self._remaining:
            step = self._remaining.pop(0)
            if step.verb == "go":
                return visit(step)
            if matches := targets(page, step):
                return plain(page, step, matches[0])
        return Action(kind="DONE", message="Every step of the script was run.")
