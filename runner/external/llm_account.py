"""Counts the cost of the model requests that an episode's agent sends through the relay, and enforces its limits."""

import contextlib
import itertools
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stressweb.core.errors import EndpointClosedError, EndpointError, InfrastructureError
from stressweb.core.tracebacks import concealed
from stressweb.log.exchanges import Exchanges
from stressweb.log.limits import Limits
from stressweb.plugins.agent import Usage
from stressweb.runner.agents.llm.endpoint import LONGEST_WAIT, requested_wait
from stressweb.runner.agents.llm.provider import Upstream
from stressweb.runner.agents.llm.refusal import AGAIN, refusal_in_body

LONGEST_ANSWER_S = 120.0
"""Seconds after which an endpoint without an answer counts as failed; at most half of the episode's time limit."""


class RelayRefusal(NamedTuple):
    """Why the relay refuses a request; it refuses all later requests with the same answer."""

    message: str
    code: str
    failure: InfrastructureError | None = None
    """The infrastructure's error; None if the agent is to blame."""


class Account:
    """The account of one episode."""

    def __init__(
        self,
        upstreams: Mapping[str, Upstream],
        limits: Limits,
        agent: str,
        seconds: float,
        exchanges: Exchanges | None = None,
    ) -> None:
        """Take the endpoints by provider, the episode's limits and time limit, and the agent's label.

        `exchanges` records or replays the requests and answers.
        """
        self.upstreams, self.exchanges = upstreams, exchanges or Exchanges()
        self._limits, self._agent = limits, agent
        self.patience_s = min(LONGEST_ANSWER_S, seconds / 2)
        self._request_starts: dict[int, float] = {}
        """Start time of each request that has no answer yet."""
        self._by_model: dict[str, Usage] = {}
        self._others = Usage()
        """Usage of the requests that got no answer."""
        self.refusal: RelayRefusal | None = None
        self._outage: EndpointError | None = None
        self._request_numbers = itertools.count()

    @property
    def usage(self) -> Usage:
        """Total usage, with the name of the model that used the most tokens."""
        most = sorted(self._by_model.values(), key=lambda usage: usage.tokens_in + usage.tokens_out)
        return sum(most, start=self._others)

    def check(self) -> RelayRefusal | None:
        """Return why the next request is refused; None if it may be sent."""
        if self.refusal is None:
            try:
                spent = self._limits.used_up(self._agent, *self._by_model.values())
            except InfrastructureError as failure:
                self.refusal = RelayRefusal(str(failure), "no_price", failure)
            else:
                self.refusal = RelayRefusal(spent, "limit_reached") if spent else None
        return self.refusal

    def record_divergence(self, message: str) -> RelayRefusal:
        """Record that a replay diverged from its recording, and return the refusal for all further requests."""
        self.refusal = self.refusal or RelayRefusal(message, "replay_left", InfrastructureError(message))
        return self.refusal

    def count_answer(self, usage: Usage, requested_model: str) -> None:
        """Count an answer. Servers often report another model name than `requested_model`."""
        self._outage = None
        name = usage.model if usage.model in self._limits.prices or not requested_model else requested_model
        self._by_model[name] = self._by_model.get(name, Usage()) + usage
        if usage.model != name and name in self._limits.prices:
            # The price list has only the requested name.
            self._by_model[name] = self._by_model[name] + Usage(model=name)

    def count_failure(
        self, status: int, body: bytes, headers: Mapping[str, str], seconds: float, *, with_users_key: bool
    ) -> None:
        """Count an error response of the endpoint; `with_users_key`: the user's key was sent, or no key was needed."""
        self._others += Usage(tries=1, seconds=seconds)
        error = refusal_in_body(status, body, concealed)
        wait = requested_wait(headers) or error.wait or 0.0
        is_closed = error.kind in ("money", "auth") and with_users_key
        if is_closed or (error.kind == "rate" and wait > LONGEST_WAIT):
            self._outage = EndpointClosedError(f"the model's endpoint rejects requests with {error}")
        elif error.kind in AGAIN or status >= 500:
            self._outage = EndpointError(f"the model's endpoint does not answer: {error}")
        else:
            # The endpoint works; the agent sent an invalid request.
            self._outage = None

    def count_unanswered(self, why: str, seconds: float) -> None:
        """Count a request that got no answer."""
        self._others += Usage(tries=1, seconds=seconds)
        self._outage = EndpointError(f"the model's endpoint does not answer: {concealed(why)}")

    @contextlib.contextmanager
    def pending_request(self) -> Iterator[None]:
        """Count a request as pending while the context is open."""
        start, number = time.monotonic(), next(self._request_numbers)
        self._request_starts[number] = start
        try:
            yield
        finally:
            del self._request_starts[number]

    def count_cancelled(self, seconds: float) -> None:
        """Count a request that the client cancelled; if the client waited long enough, the endpoint is to blame."""
        self._others += Usage(tries=1, seconds=seconds)
        self._outage = self._timeout_error(seconds)

    def check_outage(self) -> None:
        """Raise EndpointError if the agent could not continue because its last request got no answer."""
        longest = max((time.monotonic() - start for start in self._request_starts.values()), default=0.0)
        if outage := self._timeout_error(longest) or self._outage:
            raise outage

    def _timeout_error(self, seconds: float) -> EndpointError | None:
        timed_out = seconds >= self.patience_s
        return EndpointError(f"the model's endpoint did not answer in {seconds:.0f} seconds") if timed_out else None
