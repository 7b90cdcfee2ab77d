"""What a run may cost: limits on tokens, money and time for all of its episodes together."""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from stressweb.core.price import Price
from stressweb.plugins.agent import Usage

type _Amount = Annotated[float, Field(gt=0)]


class Budget(BaseModel):
    """Limits of a whole run. When one is reached, no further episode starts; those under way are finished."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens: Annotated[int, Field(gt=0)] | None = None
    """Tokens in and out, of every episode of the run, errors included."""
    usd: _Amount | None = None
    """Cost in US dollars; needs `prices`."""
    hours: _Amount | None = None
    """Time from the start of this command."""


class Spending:
    """What a run has cost so far, and whether it may go on. Called by several threads; each figure is set at once."""

    def __init__(
        self,
        budget: Budget,
        price: Callable[[str, Usage], Price | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the limits, and what returns the price of the tokens that an agent used, if it is known."""
        self._budget, self._price, self._clock = budget, price, clock
        self._start = clock()
        self.tokens, self.usd = 0, 0.0

    def add(self, agent: str, usage: Usage) -> None:
        """Count what an episode of an agent cost."""
        self.tokens += usage.tokens_in + usage.tokens_out
        price = self._price(agent, usage)
        self.usd += price.of(usage.tokens_in, usage.tokens_out) if price else 0.0

    @property
    def overtime_s(self) -> float:
        """Seconds for which the time limit has passed; negative before it, and without one."""
        hours = self._budget.hours
        # Below every number: without a limit the time is never over.
        return -float("inf") if hours is None else self._clock() - self._start - hours * 3600

    @property
    def spent(self) -> str:
        """Which limit is reached, in a few words; empty while the run may go on."""
        budget = self._budget
        # Checked between episodes: an episode under way is already paid for, so it is finished.
        if budget.tokens is not None and self.tokens >= budget.tokens:
            return f"{self.tokens:,} of {budget.tokens:,} tokens were used"
        if budget.usd is not None and self.usd >= budget.usd:
            return f"{self.usd:.2f} of {budget.usd:.2f} USD were spent"
        return f"the run's {budget.hours:g} hours are over" if self.overtime_s >= 0 else ""


def priced(prices: Mapping[str, Price], models: Mapping[str, str]) -> Callable[[str, Usage], Price | None]:
    """Return what finds the price of an agent's tokens: by the model as its server names it, else as the user does.

    `models` is the model that each agent asks, by the agent's label.
    """

    def price(agent: str, usage: Usage) -> Price | None:
        # A server may answer with another model than the one that was asked for, and charges for that one.
        return prices.get(usage.model) or prices.get(models.get(agent, ""))

    return price


def unpriced(prices: Mapping[str, Price], models: Iterable[str]) -> list[str]:
    """Return the models that have no price."""
    return sorted({model for model in models if model and model not in prices})


class Gate:
    """Says when a run is given no more episodes. This one never does."""

    @property
    def shut(self) -> bool:
        """Whether no further episode starts."""
        return False

    @property
    def overdue(self) -> bool:
        """Whether the run stops waiting for the episodes under way; their cells run again when it is resumed."""
        return False


class Gates(Gate):
    """Several gates, of which each can close the way."""

    def __init__(self, *gates: Gate) -> None:
        """Take the gates."""
        self._gates = gates

    @property
    def shut(self) -> bool:
        """Whether one of them is shut."""
        return any(gate.shut for gate in self._gates)

    @property
    def overdue(self) -> bool:
        """Whether one of them is overdue."""
        return any(gate.overdue for gate in self._gates)


class BudgetGate(Gate):
    """Closes when a limit of the budget is reached."""

    GRACE_S = 120.0
    """Seconds after the time limit for which episodes under way are waited for. Then their workers are ended."""

    def __init__(self, spending: Spending) -> None:
        """Take the counter of the costs."""
        self._spending = spending

    @property
    def shut(self) -> bool:
        """Whether a limit is reached."""
        return bool(self._spending.spent)

    @property
    def overdue(self) -> bool:
        """Whether the time limit has passed by more than the grace."""
        return self._spending.overtime_s > self.GRACE_S
