"""Asks a language model a question: tries, time limits and costs."""

import email.utils
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stressweb.core.errors import EndpointClosedError, EndpointError
from stressweb.log.exchanges import Exchanges, Left
from stressweb.plugins.agent import Usage
from stressweb.runner.agents.llm.completion import Completion, Failed, Malformed, completion
from stressweb.runner.agents.llm.endpoint_config import EndpointConfig, cause
from stressweb.runner.agents.llm.prompt import Message
from stressweb.runner.agents.llm.refusal import AGAIN, CLOSED, Refusal, refusal_in_body
from stressweb.runner.agents.llm.request_options import RequestOptions
from stressweb.runner.agents.llm.wrapping import Reply

if TYPE_CHECKING:
    from openai import APIStatusError

LONGEST_WAIT = 120.0
"""Longest wait that a server may ask for, in seconds; if it asks for more, there is no further try."""
FIRST_WAIT, LAST_WAIT = 0.5, 8.0
"""Default waits between tries, in seconds: doubled after each try, from the first up to the last."""

type Compose = Callable[[RequestOptions], Sequence[Message]]
"""Composes the messages of a question from the request options."""


class Fault(Exception):  # noqa: N818 - retried; an error only after the last try
    """The server failed to answer, but another try may succeed."""

    def __init__(self, why: str, wait: float | None = None, *, limited: bool = False) -> None:
        """Take the reason; `wait` is the wait that the server asks for, in seconds; `limited`: by a rate limit."""
        super().__init__(why)
        self.wait, self.limited = wait, limited


class Endpoint:
    """A model's endpoint in an episode. Requests have a time limit, and a question has a maximum number of tries."""

    def __init__(
        self,
        config: EndpointConfig,
        model: str,
        request_options: RequestOptions,
        *,
        seconds: float,
        retries: int,
        sleep: Callable[[float], None] = time.sleep,
        exchanges: Exchanges | None = None,
    ) -> None:
        """Take the endpoint and the model; `seconds` is the time limit of a request.

        `exchanges` records the endpoint's answers, or replays them.
        """
        self._config, self._model, self._request_options = config, model, request_options
        self._seconds, self._retries, self._sleep = seconds, retries, sleep
        self._tries, self._started_at = 0, 0.0
        self.outage = ""
        """Why the last request was not answered, while it is retried; empty otherwise."""
        # Looked up early, because the client imports its modules on first use.
        self._create: Any = config.client(seconds, exchanges).chat.completions.with_streaming_response.create

    def hide(self, text: str) -> str:
        """Return a text from the server without the key."""
        return self._config.hide(text)

    @property
    def pending(self) -> Usage:
        """Cost so far of the unanswered question."""
        if not self._tries:
            return Usage()
        return Usage(
            seconds=time.monotonic() - self._started_at, tries=self._tries, dropped=tuple(self._request_options.dropped)
        )

    def forget(self) -> None:
        """Reset the cost for a new decision."""
        self._tries = 0

    def ask(self, compose: Compose) -> tuple[Reply, Usage]:
        """Return the model's answer and its cost.

        Raises EndpointError if there is no answer, EndpointClosedError if later requests would fail, too, and Overlong
        if the question does not fit the model. The cost is then in `pending`.
        """
        self._started_at = time.monotonic()
        self._tries = failed = 0
        while True:
            try:
                answer, request = self._send_adapted(compose)
                break
            except Fault as fault:
                failed += 1
                # Set before the wait: if the agent's time runs out during it, the outage is to blame, not the agent.
                self.outage = f"the model has not answered in {self._tries} tries: {fault}"
                self._wait(fault, failed)
        self.outage = ""
        hide = self._config.hide
        usage = self.pending + Usage(
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            model=hide(answer.model),
            # Only this shows when the server changes the model behind a name.
            fingerprint=hide(answer.fingerprint),
            request=hide(request or answer.id),
        )
        self.forget()
        # Hide the key at once: answers are recorded, and a server may repeat the key.
        reply = answer.reply
        calls = tuple(map(hide, reply.calls))
        return reply._replace(text=hide(reply.text), calls=calls, thoughts=hide(reply.thoughts)), usage

    def _wait(self, fault: Fault, failed: int) -> None:
        # Trying before the requested time is pointless.
        long = (fault.wait or 0) > LONGEST_WAIT
        if failed > self._retries or long:
            # A lasting rate limit affects all episodes.
            kind = EndpointClosedError if long and fault.limited else EndpointError
            raise kind(f"the model did not answer in {self._tries} tries: {fault}") from None
        usual = min(FIRST_WAIT * 2 ** (failed - 1), LAST_WAIT)
        self._sleep(usual if fault.wait is None else fault.wait)

    def _send_adapted(self, compose: Compose) -> tuple[Completion, str]:
        """Send a request; resend it at once without any part that the server refuses."""
        import openai  # noqa: PLC0415 - takes a second

        while True:
            messages = self._request_options.shaped(compose(self._request_options))
            self._tries += 1
            try:
                return self._send({"model": self._model, "messages": messages, **self._request_options.arguments()})
            except openai.APIStatusError as error:
                self._adapt(
                    refusal_in_error(error, self._config.hide), messages, requested_wait(error.response.headers)
                )
            except Failed as error:
                self._adapt(refusal_in_body(None, error.body, self._config.hide), messages, None)
            except openai.APIConnectionError as error:
                if isinstance(error.__cause__, Left):
                    raise EndpointError(str(error.__cause__)) from None
                timed_out = isinstance(error, openai.APITimeoutError)
                why = f"nothing came in {self._seconds:g} seconds" if timed_out else f"no answer: {cause(error)}"
                raise Fault(self._config.hide(why)) from None

    def _send(self, arguments: Mapping[str, Any]) -> tuple[Completion, str]:
        import httpx  # noqa: PLC0415 - with openai

        deadline = time.monotonic() + self._seconds
        parts: list[bytes] = []
        try:
            with self._create(**arguments) as response:
                for part in response.iter_bytes():
                    parts.append(part)
                    # The client's limit is per piece, and some servers send white space as a keep-alive.
                    if time.monotonic() > deadline:
                        raise Fault(f"no complete response within {self._seconds:g} seconds")
                request = str(response.headers.get("x-request-id", ""))
        except httpx.HTTPError as error:
            raise Fault(self._config.hide(f"the response broke off: {cause(error)}")) from None
        try:
            return completion(b"".join(parts)), request
        except Malformed as error:
            raise Fault(f"the response is not a chat completion: {error}") from None

    def _adapt(self, refusal: Refusal, messages: Iterable[Message], wait: float | None) -> None:
        """Leave out the refused part; raises Fault for a temporary failure, else EndpointError."""
        if refusal.kind in CLOSED:
            raise EndpointClosedError(f"the model's endpoint rejected the request with {refusal}") from None
        sent = list(messages)
        if refusal.kind not in (*AGAIN, "content") and self._request_options.leave_out(
            refusal, pictured=_has_pictures(sent), characters=_longest(sent)
        ):
            return
        if refusal.kind in AGAIN or (refusal.status or 0) >= 500:
            wait = refusal.wait if wait is None else wait
            raise Fault(str(refusal), wait, limited=refusal.kind == "rate") from None
        raise EndpointError(f"the model's endpoint rejected the request with {refusal}") from None


def refusal_in_error(error: "APIStatusError", hide: Callable[[str], str] = str) -> Refusal:
    """Return the refusal in a client's error; `hide` removes a key from a text."""
    return refusal_in_body(error.status_code, error.response.content, hide)


def requested_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait by `Retry-After`, which may be a number or a date; None without a valid one."""
    header = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        pass
    try:
        # The date may be in the past, at least by this machine's clock.
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None


def _has_pictures(messages: Iterable[Message]) -> bool:
    return any("image_url" in part for message in messages for part in message["content"] if isinstance(part, dict))


def _longest(messages: Iterable[Message]) -> int:
    """Return the length of the longest text, which is the page."""
    contents = (message["content"] for message in messages)
    texts = (
        text
        for content in contents
        for text in ([content] if isinstance(content, str) else [part.get("text", "") for part in content])
    )
    return max(map(len, texts), default=0)
