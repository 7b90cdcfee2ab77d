"""What an episode's agent asks language models through the relay: what that has cost, and whether it may go on."""

import contextlib
import itertools
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from runner.agents.llm.endpoint import LONGEST_WAIT, asked_wait
from runner.agents.llm.provider import Upstream
from runner.agents.llm.refusal import AGAIN, refusal
from stressweb.core.errors import EndpointClosedError, EndpointError, InfrastructureError
from stressweb.core.tracebacks import concealed
from stressweb.log.exchanges import Exchanges
from stressweb.log.limits import Limits
from stressweb.plugins.agent import Usage

LONGEST_ANSWER_S = 120.0
"""Seconds after which an endpoint that has not answered is taken for one that does not; less where an episode has less
than twice as many."""


class Refused(NamedTuple):
    """Why the relay passes no request on; every later one gets the same answer."""

    message: str
    code: str
    failure: InfrastructureError | None = None
    """What failed that is not the agent's; without one, the agent has."""


class Account:
    """One episode's."""

    def __init__(
        self,
        upstreams: Mapping[str, Upstream],
        limits: Limits,
        agent: str,
        seconds: float,
        exchanges: Exchanges | None = None,
    ) -> None:
        """Take the endpoints by provider, the episode's limits and seconds, and the agent's label.

        `exchanges` is what becomes of questions and answers.
        """
        self.upstreams, self.exchanges = upstreams, exchanges or Exchanges()
        self._limits, self._agent = limits, agent
        self._patience = min(LONGEST_ANSWER_S, seconds / 2)
        self._waiting: dict[int, float] = {}
        """When each request began that has no answer yet."""
        self._by_model: dict[str, Usage] = {}
        self._others = Usage()
        """What requests took that got no answer."""
        self.refused: Refused | None = None
        self._outage: EndpointError | None = None
        self._numbers = itertools.count()

    @property
    def usage(self) -> Usage:
        """What all answers cost together, with the name of the model that took most of it."""
        most = sorted(self._by_model.values(), key=lambda usage: usage.tokens_in + usage.tokens_out)
        return sum(most, start=self._others)

    def check(self) -> Refused | None:
        """Return why the next request is not passed on; None if it is."""
        if self.refused is None:
            try:
                spent = self._limits.used_up(self._agent, *self._by_model.values())
            except InfrastructureError as failure:
                self.refused = Refused(str(failure), "no_price", failure)
            else:
                self.refused = Refused(spent, "limit_reached") if spent else None
        return self.refused

    def left(self, message: str) -> Refused:
        """Take note that a replay has left its recording, and return why nothing more is answered."""
        self.refused = self.refused or Refused(message, "replay_left", InfrastructureError(message))
        return self.refused

    def answered(self, usage: Usage, requested_model: str) -> None:
        """Count an answer; `asked` is the model that the request names, which servers often call otherwise."""
        self._outage = None
        name = usage.model if usage.model in self._limits.prices or not requested_model else requested_model
        self._by_model[name] = self._by_model.get(name, Usage()) + usage
        if usage.model != name and name in self._limits.prices:
            # Its price is known by the other name.
            self._by_model[name] = self._by_model[name] + Usage(model=name)

    def failed(self, status: int, body: bytes, headers: Mapping[str, str], seconds: float, *, ours: bool) -> None:
        """Count an error of the endpoint; `ours` says whether the user's key was sent, or none was needed."""
        self._others += Usage(tries=1, seconds=seconds)
        error = refusal(status, body, concealed)
        wait = asked_wait(headers) or error.wait or 0.0
        closed = error.kind in ("money", "auth") and ours
        if closed or (error.kind == "rate" and wait > LONGEST_WAIT):
            self._outage = EndpointClosedError(f"the model's endpoint rejects requests with {error}")
        elif error.kind in AGAIN or status >= 500:
            self._outage = EndpointError(f"the model's endpoint does not answer: {error}")
        else:
            # The endpoint works, and what it does not take is the agent's doing.
            self._outage = None

    def unanswered(self, why: str, seconds: float) -> None:
        """Count a request that got no answer."""
        self._others += Usage(tries=1, seconds=seconds)
        self._outage = EndpointError(f"the model's endpoint does not answer: {concealed(why)}")

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Take note that a request is under way."""
        begun, number = time.monotonic(), next(self._numbers)
        self._waiting[number] = begun
        try:
            yield
        finally:
            del self._waiting[number]

    def cancelled(self, seconds: float) -> None:
        """Count a request that the client gave up: by no fault of its own if it has waited long."""
        self._others += Usage(tries=1, seconds=seconds)
        self._outage = self._late(seconds)

    def check_outage(self) -> None:
        """Raise EndpointError if the endpoint keeps the agent from going on: the last request was not answered."""
        longest = max((time.monotonic() - begun for begun in self._waiting.values()), default=0.0)
        if outage := self._late(longest) or self._outage:
            raise outage

    def _late(self, seconds: float) -> EndpointError | None:
        late = seconds >= self._patience
        return EndpointError(f"the model's endpoint did not answer in {seconds:.0f} seconds") if late else None
