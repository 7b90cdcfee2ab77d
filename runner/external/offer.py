"""What an episode offers to a process that drives its browser."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from runner.agents.llm.provider import Provider, Upstream
from stressweb.core.tracebacks import HIDDEN, concealed
from stressweb.core.verdict import Verdict
from stressweb.log.recording import LONGEST_LABEL
from stressweb.plugins.agent import Usage
from stressweb.plugins.offers import Offer as OfferedFile

VARIABLE = "STRESSWEB_"
"""What the names of all our variables begin with."""


class ReportedUsage(BaseModel):
    """What the agent says that the episode has cost it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens_in: int = Field(0, ge=0, lt=2**53)
    """Tokens that the model has read."""
    tokens_out: int = Field(0, ge=0, lt=2**53)
    """Tokens that the model has written."""
    model: str = Field("", max_length=LONGEST_LABEL)
    """Name of the model."""

    @property
    def usage(self) -> Usage:
        """The same as it is recorded."""
        return Usage(tokens_in=self.tokens_in, tokens_out=self.tokens_out, model=self.model)


class Claim(BaseModel):
    """How an agent ends its episode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    claim: Literal["done", "failed"]
    """Whether the agent says that it reached the goal. It is compared with what was reached, and never believed."""
    message: str = Field("", max_length=20_000)
    """What the agent says besides; it is recorded, and no part of the grade."""
    usage: ReportedUsage = ReportedUsage()

    @model_validator(mode="before")
    @classmethod
    def _of_verdict(cls, values: Any) -> Any:
        """Take a verdict on a test case, `{"verdict": "fail", "step": 3}`, for a claim with it as the message."""
        if not isinstance(values, dict) or "verdict" not in values:
            return values
        verdict = Verdict.model_validate({name: part for name, part in values.items() if name != "usage"})
        claim = {"claim": "done", "message": verdict.model_dump_json(exclude_defaults=True)}
        return claim | {name: part for name, part in values.items() if name == "usage"}


def cdp_url(address: str, token: str) -> str:
    """Return where clients of an episode's browser connect; `address` is that of the gate."""
    return f"ws://{address}/{token}/devtools/browser"


def llm_url(address: str, token: str, provider: Provider) -> str:
    """Return the base URL at which an episode's program asks models of a provider."""
    return f"http://{address}/{token}/{provider.name}{provider.path}"


def llm_key(token: str) -> str:
    """Return the key that an episode's program has in place of the user's; it is worth something at our relay alone."""
    return f"sk-stressweb-{token}"


@dataclass(frozen=True)
class Offer:
    """The goal of an episode, and the addresses by which a process takes part in it."""

    goal: str
    start_url: str
    proxy: str
    """URL of the episode's proxy, with its credential."""
    max_steps: int
    seconds: float
    """Seconds that the process has."""
    gate: str
    """HOST:PORT of the server that the process speaks to."""
    own_browser: bool = False
    """Whether the process starts a browser by itself, which uses the proxy."""
    files: tuple[OfferedFile, ...] = ()
    """The files that the agent can upload; no other upload is taken for the goal's."""
    upstreams: Mapping[str, Upstream] = field(default_factory=dict)
    """The user's endpoints of language models, which the process reaches through the same server."""
    replays: bool = False
    """Whether these are not needed, since their answers come from a recording."""
    direct_url: str = ""
    """The page on which the task begins, for a browser of the process's own that uses no proxy; empty if there is
    none."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    @property
    def secrets(self) -> tuple[str, str]:
        """The episode's secrets: the token, and the password in the proxy's address."""
        return self.token, urlsplit(self.proxy).password or self.token

    def hidden(self, text: str) -> str:
        """Return a text without the secrets of the episode, and without keys."""
        text = concealed(text)
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        return text

    @property
    def cdp_url(self) -> str:
        """Where clients of the episode's browser connect."""
        return cdp_url(self.gate, self.token)

    def environment(self, path: Path) -> dict[str, str]:
        """Return the variables of the process.

        Those whose names begin as ours do are also written to `path`, as JSON; it is one of them. The files that the
        agent can upload are written into a folder beside it.
        """
        browser = {"DIRECT_URL": self.direct_url} if self.own_browser else {"CDP_URL": self.cdp_url}
        values = {
            "GOAL": self.goal,
            "START_URL": self.start_url,
            **browser,
            "PROXY": self.proxy,
            "FINISH_URL": f"http://{self.gate}/{self.token}/finish",
            "MAX_STEPS": str(self.max_steps),
            "SECONDS": f"{self.seconds:g}",
        }
        if self.files:
            folder = path.with_name("files")
            folder.mkdir()
            for file in self.files:
                (folder / file.name).write_text(file.text, "utf-8", newline="")
            values["FILES"] = str(folder)
        path.write_text(json.dumps({name.lower(): value for name, value in values.items()}, indent=1), "utf-8")
        named = {f"{VARIABLE}{name}": value for name, value in {**values, "EPISODE": str(path)}.items()}
        return named | self._models()

    def _models(self) -> dict[str, str]:
        """Return the variables by which clients of language models find the relay, and a key for it alone."""
        variables: dict[str, str] = {}
        for upstream in self.upstreams.values():
            provider = upstream.provider
            variables |= dict.fromkeys(provider.urls, llm_url(self.gate, self.token, provider))
            # Where the user has no key, a program that chooses by the keys that there are must find none.
            needed = [provider.keys[0].variable] if upstream.chosen or self.replays else []
            variables |= dict.fromkeys([*upstream.keys, *needed], llm_key(self.token))
        return variables
