"""An agent and its options, parsed once from what the user typed."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from stressweb.core.agent_names import split_title

COMMAND = "command"
"""Name of the agent that is a program, started by the run for each episode."""
CLIENT = "client"
"""Name of the agent that connects from outside, through the episode server."""

type Way = Literal["ours", "observed"]
"""ours: stressweb executes the agent's decisions. observed: the agent drives a browser by itself and is watched."""

type Value = bool | int | float | str
"""Values that an agent's option can have."""


def way_of(label: str) -> Way:
    """Return how the episodes of an agent are recorded, by its label."""
    return "observed" if split_title(label)[1].partition("(")[0].strip() in (COMMAND, CLIENT) else "ours"


class AgentSpec(BaseModel):
    """An agent as a user chose it. It can be read even if the agent is no longer installed."""

    # A number may be infinite, which standard JSON cannot represent.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    label: str
    """The agent as the user typed it, such as `resilient(-gesture)`; used in tables and in keys of episodes."""
    name: str
    """The agent's name alone: `resilient`."""
    options: tuple[tuple[str, Value], ...] = ()
    """The options in the order in which they were typed; an ability that is switched off is False."""
    deterministic: bool = False
    """Whether all its clean episodes are the same (`Agent.deterministic`)."""

    def __str__(self) -> str:
        """Return the agent as the user typed it."""
        return self.label
