"""What an external agent gets to take part in an episode: the goal, addresses and environment variables."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from stressweb.core.tracebacks import HIDDEN, concealed
from stressweb.core.verdict import Verdict
from stressweb.log.recording import LONGEST_LABEL
from stressweb.plugins.agent import Usage
from stressweb.plugins.offers import Offer as OfferedFile
from stressweb.runner.agents.llm.provider import Provider, Upstream

VARIABLE = "STRESSWEB_"
"""Prefix of all our environment variables."""


class ReportedUsage(BaseModel):
    """The agent's own report of its token usage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens_in: int = Field(0, ge=0, lt=2**53)
    """Input tokens."""
    tokens_out: int = Field(0, ge=0, lt=2**53)
    """Output tokens."""
    model: str = Field("", max_length=LONGEST_LABEL)
    """Name of the model."""

    @property
    def usage(self) -> Usage:
        """This report as a `Usage` for the recording."""
        return Usage(tokens_in=self.tokens_in, tokens_out=self.tokens_out, model=self.model)


class Claim(BaseModel):
    """How an agent ends its episode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    claim: Literal["done", "failed"]
    """Whether the agent claims success. The claim is compared with the grade and never affects it."""
    message: str = Field("", max_length=20_000)
    """The agent's final message; it is recorded but not graded."""
    usage: ReportedUsage = ReportedUsage()

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema of a claim with the fields of a verdict, which may be given instead."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        verdict = handler.resolve_ref_schema(handler(Verdict.__pydantic_core_schema__))
        # Flat, because a client of MCP passes the schema on to a model as that of a tool.
        schema["properties"] |= verdict["properties"]
        del schema["required"]
        schema["description"] = "How an agent ends its episode: `claim` for a task, `verdict` for a test case."
        return schema

    @model_validator(mode="before")
    @classmethod
    def _of_verdict(cls, values: Any) -> Any:
        """Convert a verdict on a test case, `{"verdict": "fail", "step": 3}`, to a claim with it as the message."""
        if not isinstance(values, dict) or "verdict" not in values:
            return values
        verdict = Verdict.model_validate({name: part for name, part in values.items() if name != "usage"})
        claim = {"claim": "done", "message": verdict.model_dump_json(exclude_defaults=True)}
        return claim | {name: part for name, part in values.items() if name == "usage"}


def cdp_url(address: str, token: str) -> str:
    """Return the URL at which clients connect to an episode's browser; `address` is HOST:PORT of the gate."""
    return f"ws://{address}/{token}/devtools/browser"


def llm_url(address: str, token: str, provider: Provider) -> str:
    """Return the base URL at which an episode's program reaches a provider's models."""
    return f"http://{address}/{token}/{provider.name}{provider.path}"


def llm_key(token: str) -> str:
    """Return the API key that an episode's program gets instead of the user's; it is valid at our relay only."""
    return f"sk-stressweb-{token}"


@dataclass(frozen=True)
class Offer:
    """The goal of an episode, and the addresses that a process needs to take part in it."""

    goal: str
    start_url: str
    proxy: str
    """URL of the episode's proxy, including its credential."""
    max_steps: int
    seconds: float
    """Time limit of the process, in seconds."""
    gate: str
    """HOST:PORT of the gate's server."""
    own_browser: bool = False
    """Whether the process starts its own browser, which uses the proxy."""
    files: tuple[OfferedFile, ...] = ()
    """The files that the agent can upload; only these uploads can satisfy the goal."""
    upstreams: Mapping[str, Upstream] = field(default_factory=dict)
    """The user's model endpoints, which the process reaches through the gate."""
    replays: bool = False
    """Whether model answers come from a recording, so that no endpoint is needed."""
    direct_url: str = ""
    """The start page for a browser that the process starts and that uses no proxy; empty if there is none."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    @property
    def secrets(self) -> tuple[str, str]:
        """The episode's secrets: the token, and the password in the proxy's URL."""
        return self.token, urlsplit(self.proxy).password or self.token

    def hidden(self, text: str) -> str:
        """Return a text with the episode's secrets and all keys removed."""
        text = concealed(text)
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        return text

    @property
    def cdp_url(self) -> str:
        """The URL at which clients connect to the episode's browser."""
        return cdp_url(self.gate, self.token)

    def environment(self, path: Path) -> dict[str, str]:
        """Return the environment variables of the process.

        Those that begin with `STRESSWEB_` are also written to `path` as JSON; `STRESSWEB_EPISODE` names that file.
        The files that the agent can upload are written to a folder beside it.
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
        """Return the variables that point model clients to the relay, with a key that is valid there only."""
        variables: dict[str, str] = {}
        for upstream in self.upstreams.values():
            provider = upstream.provider
            variables |= dict.fromkeys(provider.urls, llm_url(self.gate, self.token, provider))
            # A program may choose its provider by the keys that are set: set none that the user does not have.
            needed = [provider.keys[0].variable] if upstream.chosen or self.replays else []
            variables |= dict.fromkeys([*upstream.keys, *needed], llm_key(self.token))
        return variables
