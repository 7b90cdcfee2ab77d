"""The two providers of endpoints that programs use, and their addresses and keys from environment variables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from stressweb.core.tracebacks import HIDDEN, is_secret
from stressweb.runner.agents.llm.endpoint_config import DEFAULT_URL, check_endpoint


class KeyHeader(NamedTuple):
    """An environment variable with a key, and the header in which the key is sent."""

    variable: str
    header: str
    prefix: str = ""


class Provider(NamedTuple):
    """A kind of endpoint."""

    name: str
    """Name in the relay's addresses and in recordings."""
    url: str
    """Default base URL."""
    urls: tuple[str, ...]
    """Variables with the base URL, as different versions of clients read them; the first that is set counts."""
    keys: tuple[KeyHeader, ...]
    path: str = ""
    """Path that clients expect at the end of the base URL."""


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        "openai",
        DEFAULT_URL,
        ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        (KeyHeader("OPENAI_API_KEY", "authorization", "Bearer "),),
        "/v1",
    ),
    "anthropic": Provider(
        "anthropic",
        "https://api.anthropic.com",
        ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"),
        (
            KeyHeader("ANTHROPIC_API_KEY", "x-api-key"),
            KeyHeader("ANTHROPIC_AUTH_TOKEN", "authorization", "Bearer "),
        ),
    ),
}


@dataclass(frozen=True)
class Upstream:
    """The endpoint to use for a provider, and the user's keys for it, which are never displayed."""

    provider: Provider
    url: str
    keys: Mapping[str, str] = field(repr=False)
    """The user's keys, by variable."""
    chosen: bool = False
    """Whether the environment sets the address; else it is the provider's default."""

    def hide(self, body: bytes) -> bytes:
        """Return an answer without the user's keys, which the endpoint may repeat."""
        for key in self.keys.values():
            body = body.replace(key.encode(), HIDDEN.encode()) if is_secret(key) else body
        return body

    @classmethod
    def of(cls, provider: Provider, environ: Mapping[str, str]) -> "Upstream":
        """Read the provider's variables; raises UserError for an invalid address or key."""
        values = {name: environ.get(name, "").strip() for name in provider.urls}
        name = next((name for name in provider.urls if values[name]), "")
        url = values[name] if name else provider.url
        keys = {header.variable: environ.get(header.variable, "").strip() for header in provider.keys}
        keys = {variable: key for variable, key in keys.items() if key}
        # OPENAI_BASE_URL is also set by an option, which messages name.
        option = "base-url" if name in ("", "OPENAI_BASE_URL") else name
        for variable, key in keys.items():
            check_endpoint(url, key, option, variable)
        if not keys:
            check_endpoint(url, "", option)
        return cls(provider, url.rstrip("/"), keys, chosen=bool(name))


def upstreams(environ: Mapping[str, str]) -> dict[str, Upstream]:
    """Return the endpoint of each provider, by its name; raises UserError for an invalid address or key."""
    return {name: Upstream.of(provider, environ) for name, provider in PROVIDERS.items()}
