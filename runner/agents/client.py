"""An agent of a client of the episode server: whoever opens an episode there plays it."""

import re
from collections.abc import Mapping

from stressweb.core.agent_spec import CLIENT, AgentSpec
from stressweb.core.errors import UserError
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation


def spec_of(title: str, version: str = "") -> AgentSpec:
    """Return the agent of a client that is called so in tables; raises UserError for a version that is none."""
    if wrong := re.search(r"[(),\x00-\x1f\x7f-\x9f]", version):
        raise UserError(f"agent-version {version!r} cannot hold {wrong[0]!r}")
    agent = f"{CLIENT}(version={version})" if version else CLIENT
    options = (("version", version),) if version else ()
    return AgentSpec(label=agent if title == CLIENT else f"{title}={agent}", name=CLIENT, options=options)


class Client(Agent):
    """Plays from outside: `stressweb host` opens episodes for it. A run cannot start it."""

    name = CLIENT

    def __init__(self, *, version: str = "") -> None:
        """Take the version of what plays, for the record."""
        self.version = version

    def ready(self, environ: Mapping[str, str]) -> None:
        """Raise UserError: a run cannot start it."""
        raise UserError("agent client plays from outside: `stressweb host --out FOLDER` opens episodes for it")

    def act(self, observation: Observation) -> Action:
        """Raise an error: the client acts by itself."""
        raise NotImplementedError("a client acts by itself")
