"""The budget of a run: limits on tokens, money and time for all of its episodes together."""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from stressweb.core.price import Price
from stressweb.plugins.agent import Usage
from stressweb.runner.plan.prices import known_prices

type _Amount = Annotated[float, Field(gt=0)]


class Budget(BaseModel):
    """Limits of a whole run. When one is reached, no further episode starts; running episodes finish."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens: Annotated[int, Field(gt=0)] | None = None
    """Input and output tokens of all recorded episodes, errors included."""
    usd: _Amount | None = None
    """Cost in US dollars, by `prices` or else by stressweb's own list."""
    hours: _Amount | None = None
    """Hours from the start of the command."""


class Spending:
    """The cost of a run so far, and whether a limit is reached. Several threads may call it."""

    def __init__(
        self,
        budget: Budget,
        price: Callable[[str, Usage], Price | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the limits; `price` returns the price of an agent's tokens, None if unknown."""
        self._budget, self._price, self._clock = budget, price, clock
        self._start = clock()
        self.tokens, self.usd = 0, 0.0

    def add(self, agent: str, usage: Usage) -> None:
        """Add the cost of an episode."""
        self.tokens += usage.tokens_in + usage.tokens_out
        price = self._price(agent, usage)
        self.usd += price.of(usage.tokens_in, usage.tokens_out) if price else 0.0

    @property
    def overtime_s(self) -> float:
        """Seconds since the time limit passed; negative before it, and without a limit."""
        hours = self._budget.hours
        return -float("inf") if hours is None else self._clock() - self._start - hours * 3600

    @property
    def spent(self) -> str:
        """Description of the limit that is reached; empty while the run may continue."""
        budget = self._budget
        # Checked between episodes: a running episode has already cost money, so it finishes.
        if budget.tokens is not None and self.tokens >= budget.tokens:
            return f"{self.tokens:,} of {budget.tokens:,} tokens were used"
        if budget.usd is not None and self.usd >= budget.usd:
            return f"{self.usd:.2f} of {budget.usd:.2f} USD were spent"
        return f"the run's {budget.hours:g} hours are over" if self.overtime_s >= 0 else ""


def priced(stated: Mapping[str, Price], models: Mapping[str, str]) -> Callable[[str, Usage], Price | None]:
    """Return a function that looks up the price of an agent's tokens, by the server's or else the user's model name.

    `stated` are the user's prices; other models have the price that ships. `models` are the models that agents use, by
    the agent's label.
    """
    prices = known_prices(stated)

    def price(agent: str, usage: Usage) -> Price | None:
        # A server may answer with another model than requested, and charges for that one.
        return prices.get(usage.model) or prices.get(models.get(agent, ""))

    return price


def unpriced(stated: Mapping[str, Price], models: Iterable[str]) -> list[str]:
    """Return the models without a price, neither a stated one nor one that ships."""
    return sorted({*filter(None, models)} - known_prices(stated).keys())


class Gate:
    """Decides when a run stops starting episodes. This base class never stops it."""

    @property
    def shut(self) -> bool:
        """Whether to start no further episode."""
        return False

    @property
    def overdue(self) -> bool:
        """Whether to stop waiting for running episodes; their cells run again when the run is resumed."""
        return False


class Gates(Gate):
    """Several gates, each of which can stop the run."""

    def __init__(self, *gates: Gate) -> None:
        """Take the gates."""
        self._gates = gates

    @property
    def shut(self) -> bool:
        """Whether any gate is shut."""
        return any(gate.shut for gate in self._gates)

    @property
    def overdue(self) -> bool:
        """Whether any gate is overdue."""
        return any(gate.overdue for gate in self._gates)


class BudgetGate(Gate):
    """Shuts when a limit of the budget is reached."""

    GRACE_S = 120.0
    """Seconds to wait for running episodes after the time limit, before their workers are ended."""

    def __init__(self, spending: Spending) -> None:
        """Take the cost of the run."""
        self._spending = spending

    @property
    def shut(self) -> bool:
        """Whether a limit is reached."""
        return bool(self._spending.spent)

    @property
    def overdue(self) -> bool:
        """Whether the time limit passed more than `GRACE_S` ago."""
        return self._spending.overtime_s > self.GRACE_S
