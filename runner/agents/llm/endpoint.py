"""One question to a language model: its tries, its time, and what it cost."""

import email.utils
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from runner.agents.llm.endpoint_config import EndpointConfig, cause
from runner.agents.llm.prompt import Message
from runner.agents.llm.request_options import RequestOptions
from stressweb.core.errors import EndpointError
from stressweb.core.validation import first
from stressweb.plugins.agent import Usage

if TYPE_CHECKING:
    from openai import APIStatusError

LONGEST_WAIT = 120.0
"""Seconds; a server that asks for a longer wait is not asked again."""
FIRST_WAIT, LAST_WAIT = 0.5, 8.0
"""Seconds between tries where the server does not say: doubled from the first on, up to the last."""

type Compose = Callable[[RequestOptions], Sequence[Message]]
"""Makes the messages of a question, with as much in them as the offer still holds."""

# Time-out, conflict, and too many requests: the same question may be answered a moment later.
_TRANSIENT = (408, 409, 429)


class _Message(BaseModel):
    # Some servers answer in parts, as they are asked, and some with nothing at all.
    content: str | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(str(part.get("text") or "") for part in self.content if part.get("type") == "text")
        return self.content or ""


class _Choice(BaseModel):
    message: _Message


class _Counts(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Body(BaseModel):
    """What we read of an answer; servers differ in the rest."""

    id: str | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    choices: list[_Choice] = Field(min_length=1)
    usage: _Counts | None = None


class Fault(Exception):  # noqa: N818 - tried again, and no error before all tries are used up
    """The server did not answer as it should: worth another try."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        """Say why; `wait` is how many seconds the server asks to wait."""
        super().__init__(why)
        self.wait = wait


class Endpoint:
    """Asks one model, with a time for each request and a bound on tries; serves one episode."""

    def __init__(
        self,
        place: EndpointConfig,
        model: str,
        offer: RequestOptions,
        *,
        seconds: float,
        retries: int,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take where and whom to ask; `seconds` is the time that a request has."""
        self._place, self._model, self._offer = place, model, offer
        self._seconds, self._retries, self._sleep = seconds, retries, sleep
        self.outage = ""
        """Why the last request was not answered, while it is being tried again; empty otherwise."""
        # Asked for here, since the client imports its parts when they are first used.
        self._create: Any = place.client(seconds).chat.completions.with_streaming_response.create

    def hide(self, text: str) -> str:
        """Return a text of the server's without the key."""
        return self._place.hide(text)

    def ask(self, compose: Compose) -> tuple[str, Usage]:
        """Return the model's answer and what it cost.

        Raises EndpointError if there is none, Overlong if the question does not fit the model.
        """
        begun = time.monotonic()
        self._tries = failed = 0
        while True:
            try:
                body, request = self._once(compose)
                break
            except Fault as fault:
                failed += 1
                # Set before the wait: the agent's time may end during it, and then this says whose failure that is.
                self.outage = f"the model has not answered in {self._tries} tries: {fault}"
                self._wait(fault, failed)
        self.outage = ""
        counts = body.usage or _Counts()
        usage = Usage(
            tokens_in=counts.prompt_tokens or 0,
            tokens_out=counts.completion_tokens or 0,
            seconds=time.monotonic() - begun,
            tries=self._tries,
            model=self._place.hide(body.model or ""),
            # A server may change a model behind its name, and says so only here.
            fingerprint=self._place.hide(body.system_fingerprint or ""),
            request=self._place.hide(request or body.id or ""),
            dropped=tuple(self._offer.dropped),
        )
        # Before anybody else sees it: answers are recorded, and a server may repeat the key.
        return self._place.hide(body.choices[0].message.text), usage

    def _wait(self, fault: Fault, failed: int) -> None:
        # A server that asks for a long wait will not answer before it: trying on would only cost time.
        if failed > self._retries or (fault.wait or 0) > LONGEST_WAIT:
            raise EndpointError(f"the model did not answer in {self._tries} tries: {fault}") from None
        usual = min(FIRST_WAIT * 2 ** (failed - 1), LAST_WAIT)
        self._sleep(usual if fault.wait is None else fault.wait)

    def _once(self, compose: Compose) -> tuple[_Body, str]:
        """Send one request, and at once another one for each part of it that the server refuses."""
        import openai  # noqa: PLC0415 - takes a second

        while True:
            messages = list(compose(self._offer))
            self._tries += 1
            try:
                return self._send({"model": self._model, "messages": messages, **self._offer.arguments()})
            except openai.APIStatusError as error:
                self._refused(error, messages)
            except openai.APIConnectionError as error:
                late = isinstance(error, openai.APITimeoutError)
                why = f"nothing came in {self._seconds:g} seconds" if late else f"no answer: {cause(error)}"
                raise Fault(self._place.hide(why)) from None

    def _send(self, arguments: Mapping[str, Any]) -> tuple[_Body, str]:
        import httpx  # noqa: PLC0415 - with openai

        until = time.monotonic() + self._seconds
        parts: list[bytes] = []
        try:
            with self._create(**arguments) as response:
                for part in response.iter_bytes():
                    parts.append(part)
                    # The client's own limit is for each piece, and some servers send white space to keep a line open.
                    if time.monotonic() > until:
                        raise Fault(f"no complete response within {self._seconds:g} seconds")
                request = str(response.headers.get("x-request-id", ""))
        except httpx.HTTPError as error:
            raise Fault(self._place.hide(f"the response broke off: {cause(error)}")) from None
        try:
            return _Body.model_validate_json(b"".join(parts)), request
        except ValidationError as error:
            raise Fault(f"the response is not a chat completion: {first(error, 'body')}") from None

    def _refused(self, error: "APIStatusError", messages: Iterable[Message]) -> None:
        """Leave out what was refused; raises Fault for what may pass, EndpointError for what will not."""
        status, said = error.status_code, complaint(error, self._place.hide)
        # Keys, names and load are not mended by leaving something out of the request.
        if status not in (401, 403, 404, *_TRANSIENT) and self._offer.give_in(
            status, said, pictured=_pictured(messages)
        ):
            return
        if status in _TRANSIENT or status >= 500:
            raise Fault(f"status {status}: {said}", asked_wait(error.response.headers)) from None
        raise EndpointError(f"the model's endpoint rejected the request with status {status}: {said}") from None


def complaint(error: "APIStatusError", hide: Callable[[str], str] = str) -> str:
    """Return what a server says is wrong, on one line of at most 300 characters; `hide` takes a key out of it."""
    # Servers wrap what they have to say in different ways; what is missing is left out.
    body = error.body if isinstance(error.body, Mapping) else {}
    inner = body.get("error", body)
    told = inner if isinstance(inner, Mapping) else {"message": inner}
    found = (told.get("message") or told.get("detail") or error.message, told.get("param"), told.get("code"))
    words = [word if isinstance(word, str) else json.dumps(word) for word in found if word]
    # Half of a key would not be known as one.
    return hide(" ".join(" · ".join(dict.fromkeys(words)).split()))[:300]


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a server asks to wait, by `Retry-After` in seconds or as a date; None if it does not."""
    asked = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(asked)) if asked else None
    except ValueError:
        pass
    try:
        # The date may have passed by now, or by this machine's clock.
        return max(0.0, email.utils.parsedate_to_datetime(asked).timestamp() - time.time())
    except ValueError:
        return None


def _pictured(messages: Iterable[Message]) -> bool:
    return any("image_url" in part for message in messages for part in message["content"] if isinstance(part, dict))
