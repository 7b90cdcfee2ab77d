"""Exchanges of an episode with language models: recorded to a file, or replayed from it."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from stressweb.core.errors import InfrastructureError
from stressweb.core.tracebacks import HIDDEN, concealed
from stressweb.log.exchange_comparison import comparable, difference, steady
from stressweb.log.recording import LONGEST_LABEL

PASSED_ON = ("content-type", "retry-after", "x-request-id", "request-id")
"""Recorded headers of an answer: those that clients act on."""


class Question(NamedTuple):
    """One request to an endpoint."""

    provider: str
    method: str
    path: str
    """The part after the base URL, with the query."""
    body: bytes

    @property
    def value(self) -> Any:
        """The body as a JSON value; None if it is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    @property
    def model(self) -> str:
        """The requested model; empty if the request names none."""
        value = self.value
        model = value.get("model") if isinstance(value, dict) else None
        return model[:LONGEST_LABEL] if isinstance(model, str) else ""


class Answer(NamedTuple):
    """The answer of an endpoint, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Exchange(BaseModel):
    """A recorded question and answer: without keys, and with a digest in place of each picture."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    episode: str
    """Key of the cell."""
    attempt: str
    """The attempt at the episode; the last one counts."""
    provider: str
    method: str
    path: str
    request: Any = None
    """The body of the request: a JSON value or a text."""
    status: int = Field(ge=100, le=599)
    headers: Mapping[str, str]
    answer: str
    """The body of the answer."""
    encoding: Literal["utf-8", "base64"] = "utf-8"
    """Encoding of the body in `answer`."""

    @property
    def replayed(self) -> Answer:
        """The answer for a replay."""
        body = self.answer.encode() if self.encoding == "utf-8" else base64.b64decode(self.answer)
        return Answer(self.status, self.headers, body)


class Left(Exception):  # noqa: N818 - an event that ends the episode; the message says all
    """A replay diverged from its recording; the message says where."""


class Exchanges:
    """Exchanges of an episode, neither recorded nor replayed."""

    replays = False
    """Whether answers come from a recording, so that no endpoint is needed."""

    def answer(self, question: Question) -> Answer | None:
        """Return the recorded answer; None to ask the endpoint. Raises Left."""
        return None

    def keep(self, question: Question, answer: Answer) -> None:
        """Record the answer of an endpoint."""

    def check_complete(self) -> None:
        """Raise InfrastructureError if an exchange was not recorded, or not replayed."""


class Recording(Exchanges):
    """Records the exchanges of an episode."""

    def __init__(
        self, episode: str, attempt: str, write: Callable[[Exchange], None], secrets: Sequence[str] = ()
    ) -> None:
        """Take the writer of exchanges; `secrets` are removed from what is written, and so are known keys."""
        self._episode, self._attempt, self._write, self._secrets = episode, attempt, write, secrets
        self._failure = ""

    def keep(self, question: Question, answer: Answer) -> None:
        """Write a question and its answer."""
        try:
            text, encoding = answer.body.decode(), "utf-8"
        except UnicodeDecodeError:
            text, encoding = base64.b64encode(answer.body).decode(), "base64"
        exchange = Exchange(
            episode=self._episode,
            attempt=self._attempt,
            provider=question.provider,
            method=question.method,
            path=_without_secrets(question.path, self._secrets),
            request=_body(question, self._secrets),
            status=answer.status,
            headers={name: answer.headers[name] for name in PASSED_ON if name in answer.headers},
            answer=_without_secrets(text, self._secrets) if encoding == "utf-8" else text,
            encoding=encoding,
        )
        try:
            self._write(exchange)
        except OSError as error:
            # Raised at the end of the episode: earlier, it would be taken for a failure of the endpoint.
            self._failure = f"the recording of the model's answers cannot be written: {error.strerror}"

    def check_complete(self) -> None:
        """Raise InfrastructureError if an exchange could not be written."""
        if self._failure:
            raise InfrastructureError(self._failure)


class Replay(Exchanges):
    """Replays each recorded answer once, to the question that it answered."""

    replays = True

    def __init__(self, recorded: Sequence[Exchange], secrets: Sequence[str] = ()) -> None:
        """Take the exchanges of one episode in order, and the episode's own secrets."""
        self._remaining, self._secrets = list(recorded), secrets
        self._count, self._question_count = len(recorded), 0

    def answer(self, question: Question) -> Answer:
        """Return the recorded answer.

        The question may differ in values that vary between runs: dates, times, generated ids, pictures, and the
        addresses of the episode. Raises Left for any other difference.
        """
        self._question_count += 1
        address = (question.provider, question.method, _without_secrets(question.path, self._secrets))
        body = _body(question, self._secrets)
        same = [
            exchange for exchange in self._remaining if (exchange.provider, exchange.method, exchange.path) == address
        ]
        equal = [exchange for exchange in same if exchange.request == body]
        matches = equal or [exchange for exchange in same if steady(exchange.request) == steady(body)]
        if not matches:
            raise Left(
                f"the replay left the recording at request {self._question_count} of the episode: "
                f"{self._why(address, body)}"
            )
        # Programs may ask several questions at a time, so their order is not compared.
        self._remaining.remove(matches[0])
        return matches[0].replayed

    def check_complete(self) -> None:
        """Raise InfrastructureError if recorded answers are left."""
        if self._remaining:
            first = self._count - len(self._remaining) + 1
            missing = f"it ended before request {first} of the {self._count} recorded ones"
            raise InfrastructureError(f"the replay left the recording: {missing}")

    def _why(self, address: tuple[str, str, str], body: Any) -> str:
        if not self._count:
            return "the recording has no request of this episode"
        if not self._remaining:
            return f"the recording has {self._count} of them"
        expected = self._remaining[0]
        if (expected.provider, expected.method, expected.path) != address:
            return f"{address[1]} {address[2]} where the recording has {expected.method} {expected.path}"
        return difference(steady(body), steady(expected.request))


def _body(question: Question, secrets: Sequence[str]) -> Any:
    """Return the body of a request as recorded and compared."""
    text = _without_secrets(question.body.decode(errors="replace"), secrets)
    try:
        return comparable(json.loads(text)) if text else None
    except (ValueError, RecursionError):
        return text


def _without_secrets(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return concealed(text)
