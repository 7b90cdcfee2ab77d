"""Where a language model is asked, with which key, and whether anybody is there."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from runner.agents.llm.evidence import clean, evidence
from stressweb.core.address import check_url, local
from stressweb.core.errors import UserError, first_line
from stressweb.core.tracebacks import HIDDEN, is_secret
from stressweb.log.exchanges import Exchanges

if TYPE_CHECKING:
    from openai import OpenAI

DEFAULT_URL = "https://api.openai.com/v1"
PROBE = 10.0
"""Seconds that the look before a run has."""


@dataclass(frozen=True)
class EndpointConfig:
    """The address of an endpoint and its key, which is never shown."""

    url: str
    key: str = field(default="", repr=False)

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "EndpointConfig":
        """Read `OPENAI_BASE_URL` and `OPENAI_API_KEY`; raises UserError. A local endpoint needs no key."""
        url = environ.get("OPENAI_BASE_URL", "").strip() or DEFAULT_URL
        # A key that is read from a file often ends with a line feed, which no header may hold.
        key = environ.get("OPENAI_API_KEY", "").strip()
        if not check_url(url) and not key and not local(url):
            raise UserError(
                f"no key for {urlsplit(url).hostname}: set OPENAI_API_KEY, or choose another endpoint with --base-url"
            )
        check_endpoint(url, key)
        return cls(url, key)

    @property
    def key_said(self) -> str:
        """What an endpoint rejects that asks for another key."""
        return "the key in OPENAI_API_KEY" if self.key else "a request without a key: set OPENAI_API_KEY"

    def client(self, seconds: float, exchanges: Exchanges | None = None) -> "OpenAI":
        """Return a client; it tries nothing again by itself, since our tries are counted and recorded.

        `exchanges` records what the endpoint answers, or answers in its place.
        """
        from openai import OpenAI  # noqa: PLC0415 - takes a second

        from runner.agents.llm.bounded import client  # noqa: PLC0415 - with openai

        # The client wants some key, also for a local server that asks for none.
        return OpenAI(
            api_key=self.key or "none",
            base_url=self.url,
            timeout=seconds,
            max_retries=0,
            http_client=client(seconds, self.url, exchanges),
        )

    def hide(self, text: str) -> str:
        """Return `text` without the key, should a server repeat it; a made-up word for a local server stays."""
        return text.replace(self.key, HIDDEN) if is_secret(self.key) else text

    def probe(self) -> tuple[str, ...]:
        """Ask once whether anybody is there who takes the key, and return the models that are listed.

        No model is asked. Raises UserError if no server answers, or if the key is refused; whatever else goes wrong is
        left to the episodes, which try again.
        """
        import openai  # noqa: PLC0415 - takes a second

        with self.client(PROBE) as asking:
            try:
                return _names(asking.models.with_raw_response.list().http_response.content)
            # A kind of the error below, so it stands first: a server that is slow is there.
            except openai.APITimeoutError:
                return ()
            except openai.APIConnectionError as error:
                raise UserError(self.hide(f"no answer from {self.url}: {cause(error)}")) from None
            except openai.AuthenticationError as error:
                key = self.key_said
                # The whole body is in the error's own message where it is no JSON, and may have several lines.
                said = evidence(error.status_code, error.response.content, self.hide).said
                raise UserError(f"{self.url} rejects {key}: {said}"[:400]) from None
            # Not every server has a list of models.
            except openai.OpenAIError:
                return ()


def check_endpoint(url: str, key: str, name: str = "base-url", variable: str = "OPENAI_API_KEY") -> None:
    """Raise UserError for an address that is none, and for a key that cannot be sent there.

    `name` is what the user gave the address as, `variable` what holds the key.
    """
    if problem := check_url(url):
        raise UserError(f"{name} {problem}")
    # It is sent in a header, which can hold nothing else.
    if not (key.isascii() and (key.isprintable() or not key)):
        raise UserError(f"{variable} contains characters that are not allowed in a key")
    # Anybody on the way could read it.
    if key and urlsplit(url).scheme == "http" and not local(url):
        raise UserError(
            f"{name} {url} would send your key in plain text: use https, or an endpoint on a private network"
        )


def _names(body: bytes) -> tuple[str, ...]:
    """Return the names in a list of models, which servers write in different ways."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return ()
    listed = (value.get("data") or value.get("models")) if isinstance(value, dict) else value
    entries = listed if isinstance(listed, list) else []
    names = (entry.get("id") or entry.get("name") if isinstance(entry, dict) else entry for entry in entries)
    return tuple(clean(name) for name in names if isinstance(name, str) and name.isprintable())


def cause(error: BaseException) -> str:
    """Return the innermost words of a failed connection: the client's own say only that there was an error."""
    while error.__cause__ is not None:
        error = error.__cause__
    return first_line(error)[:200]
