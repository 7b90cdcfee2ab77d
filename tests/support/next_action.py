"""The next action of an agent whose `act` returns it at once."""

from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation


def next_action(agent: Agent, observation: Observation) -> Action:
    """Return the agent's action for an observation."""
    action = agent.act(observation)
    assert isinstance(action, Action)
    return action
