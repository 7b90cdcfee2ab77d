"""The address and key of a language model's endpoint, and a check that it answers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from stressweb.core.address import check_url, local
from stressweb.core.errors import UserError, first_line
from stressweb.core.tracebacks import HIDDEN, is_secret
from stressweb.log.exchanges import Exchanges
from stressweb.runner.agents.llm.evidence import clean, evidence

if TYPE_CHECKING:
    from openai import OpenAI

DEFAULT_URL = "https://api.openai.com/v1"
PROBE = 10.0
"""Time limit of each request in the check before a run, in seconds."""


@dataclass(frozen=True)
class EndpointConfig:
    """The address and key of an endpoint; the key is never displayed."""

    url: str
    key: str = field(default="", repr=False)

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "EndpointConfig":
        """Read `OPENAI_BASE_URL` and `OPENAI_API_KEY`; raises UserError. A local endpoint needs no key."""
        url = environ.get("OPENAI_BASE_URL", "").strip() or DEFAULT_URL
        # A key read from a file often ends in a line feed, which a header cannot contain.
        key = environ.get("OPENAI_API_KEY", "").strip()
        if not check_url(url) and not key and not local(url):
            raise UserError(
                f"no key for {urlsplit(url).hostname}: set OPENAI_API_KEY, or choose another endpoint with --base-url"
            )
        check_endpoint(url, key)
        return cls(url, key)

    @property
    def key_description(self) -> str:
        """Description of the key for the message that the endpoint rejects it."""
        return "the key in OPENAI_API_KEY" if self.key else "a request without a key: set OPENAI_API_KEY"

    def client(self, seconds: float, exchanges: Exchanges | None = None) -> "OpenAI":
        """Return a client that does not retry, since `Endpoint` counts and records tries.

        `exchanges` records the endpoint's answers, or replays them.
        """
        from openai import OpenAI  # noqa: PLC0415 - takes a second

        from stressweb.runner.agents.llm.bounded import client  # noqa: PLC0415 - with openai

        # The client requires a key, even for a local server that needs none.
        return OpenAI(
            api_key=self.key or "none",
            base_url=self.url,
            timeout=seconds,
            max_retries=0,
            http_client=client(seconds, self.url, exchanges),
        )

    def hide(self, text: str) -> str:
        """Return `text` without the key, which a server may repeat; a placeholder key stays."""
        return text.replace(self.key, HIDDEN) if is_secret(self.key) else text

    def probe(self) -> tuple[str, ...]:
        """Check that a server answers and accepts the key; return the models that it lists.

        Sends no question to a model. Raises UserError if no server answers or it rejects the key; other failures are
        left to the episodes, which retry.
        """
        import openai  # noqa: PLC0415 - takes a second

        with self.client(PROBE) as asking:
            try:
                return _names(asking.models.with_raw_response.list().http_response.content)
            # A subclass of the next error, so it comes first: a slow server is not an error.
            except openai.APITimeoutError:
                return ()
            except openai.APIConnectionError as error:
                raise UserError(self.hide(f"no answer from {self.url}: {cause(error)}")) from None
            except openai.AuthenticationError as error:
                key = self.key_description
                # The error's own message may contain a body of several lines.
                reason = evidence(error.status_code, error.response.content, self.hide).message
                raise UserError(f"{self.url} rejects {key}: {reason}"[:400]) from None
            # Not every server lists its models.
            except openai.OpenAIError:
                return ()


def check_endpoint(url: str, key: str, name: str = "base-url", variable: str = "OPENAI_API_KEY") -> None:
    """Raise UserError for an invalid address, and for a key that cannot be sent there.

    `name` is the option or variable of the address, `variable` that of the key.
    """
    if problem := check_url(url):
        raise UserError(f"{name} {problem}")
    # The key is sent in a header, which only allows these characters.
    if not (key.isascii() and (key.isprintable() or not key)):
        raise UserError(f"{variable} contains characters that are not allowed in a key")
    # The key could be intercepted.
    if key and urlsplit(url).scheme == "http" and not local(url):
        raise UserError(
            f"{name} {url} would send your key in plain text: use https, or an endpoint on a private network"
        )


def _names(body: bytes) -> tuple[str, ...]:
    """Return the names in a server's list of models; formats differ."""
    try:
        body_value = json.loads(body)
    except (ValueError, RecursionError):
        return ()
    models = (body_value.get("data") or body_value.get("models")) if isinstance(body_value, dict) else body_value
    entries = models if isinstance(models, list) else []
    names = (entry.get("id") or entry.get("name") if isinstance(entry, dict) else entry for entry in entries)
    return tuple(clean(name) for name in names if isinstance(name, str) and name.isprintable())


def cause(error: BaseException) -> str:
    """Return the message of an error's root cause, since the client's own message is uninformative."""
    while error.__cause__ is not None:
        error = error.__cause__
    return first_line(error)[:200]
