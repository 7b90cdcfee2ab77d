"""What a worker tells of an agent that is at work."""

import pytest

from runner.worker import Watched
from stressweb.actions import Action
from stressweb.agent import Agent, Brief, Observation, Usage
from stressweb.errors import InfrastructureError

SEEN = Observation("http://shop.test/", "<html></html>")


class Costly(Agent):
    """Decides once, at a cost, and then cannot any more."""

    name = "costly"
    wants = frozenset({"tree"})

    def act(self, observation: Observation) -> Action:
        self.usage += Usage(tokens_in=5)
        if self.usage.tokens_in > 5:
            raise InfrastructureError("out of order")
        return Action(kind="WAIT", message=self.brief.goal)


def test_every_decision_is_told_and_nothing_else_changes() -> None:
    told: list[bool] = []
    agent = Watched(Costly(), lambda: told.append(True))
    assert agent.wants == {"tree"}
    agent.start(Brief(goal="Buy a lamp.", start_url="http://shop.test/"))
    assert agent.act(SEEN) == Action(kind="WAIT", message="Buy a lamp.")
    assert (agent.usage, told) == (Usage(tokens_in=5), [True])
    with pytest.raises(InfrastructureError, match="out of order"):
        agent.act(SEEN)
    assert (agent.usage, told) == (Usage(tokens_in=10), [True, True])
