"""The agent of a client of the episode server: the client that opens an episode plays it."""

import re
from collections.abc import Mapping

from stressweb.core.agent_spec import CLIENT, AgentSpec, Value
from stressweb.core.errors import UserError
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import BOTH, Agent, Observation


def spec_of(title: str, version: str = "", *, own_browser: bool = False) -> AgentSpec:
    """Return the agent of a client with this title in tables; raises UserError for an invalid version."""
    if wrong := re.search(r"[(),\x00-\x1f\x7f-\x9f]", version):
        raise UserError(f"agent-version {version!r} must not contain {wrong[0]!r}")
    options: dict[str, Value] = {"own_browser": True} if own_browser else {}
    options |= {"version": version} if version else {}
    settings = [
        "own_browser" if option_value is True else f"{name}={option_value}" for name, option_value in options.items()
    ]
    agent = f"{CLIENT}({','.join(settings)})" if settings else CLIENT
    return AgentSpec(
        label=agent if title == CLIENT else f"{title}={agent}", name=CLIENT, options=tuple(options.items())
    )


class Client(Agent):
    """An external program that opens episodes through `stressweb host`. A run cannot start it."""

    name = CLIENT
    takes = BOTH

    def __init__(self, *, own_browser: bool = False, version: str = "") -> None:
        """Record whether the client uses its own browser, and its version."""
        self.own_browser, self.version = own_browser, version

    def ready(self, environ: Mapping[str, str]) -> None:
        """Raise UserError: a run cannot start it."""
        raise UserError("a run cannot start the agent client: it opens episodes through `stressweb host --out FOLDER`")

    def act(self, observation: Observation) -> Action:
        """Raise NotImplementedError: the client acts by itself."""
        raise NotImplementedError("a client acts by itself")
