"""Limits of an agent in one episode."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from stressweb.core.errors import InfrastructureError
from stressweb.core.price import Price
from stressweb.plugins.agent import Usage

MAX_STEPS = 100
"""Default limit of actions per episode."""

type Count = Annotated[int, Field(ge=1)]


class Limits(BaseModel):
    """Limits of an agent in one episode. Experiments, plans and options use the same names.

    A new field here becomes part of all of them, and reaches every worker with the plan.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_steps: Count = MAX_STEPS
    """Actions that an agent has for an episode."""
    agent_seconds: Annotated[float, Field(gt=0)] | None = None
    """Time limit per episode, in seconds. Without it, each decision has a limit of its own, the `decision_seconds` of
    its agent (600 unless the agent sets another one)."""
    agent_tokens: Count | None = None
    """Tokens, in and out, that an agent has for an episode."""
    cost_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """US dollars that an agent's decisions may cost in an episode, by `prices` or else by stressweb's own list."""
    prices: Mapping[str, Price] = Field(default_factory=dict)
    """What models cost, in US dollars per million tokens, by the model's name."""
    screenshots: bool = False
    """Whether a small picture of every step is recorded if the agent asks for none; what it sees is always recorded."""

    @property
    def limits(self) -> "Limits":
        """Only the limits, without the other fields of a subclass."""
        return Limits(**{name: getattr(self, name) for name in Limits.model_fields})

    def times(self, tasks: int) -> Self:
        """Return the limits for an episode of several tasks: each adds its own steps, seconds and tokens."""
        return self.model_copy(update={name: value * tasks for name, value in self._set()})

    def used_up(self, agent: str, *usages: Usage) -> str:
        """Return which limit the given usages reach, in a few words; empty if none.

        There is one usage per model. Raises InfrastructureError if the cost is limited but unknown.
        """
        spent = [usage for usage in usages if usage.tokens_in or usage.tokens_out]
        tokens = sum(usage.tokens_in + usage.tokens_out for usage in spent)
        if self.agent_tokens is not None and tokens >= self.agent_tokens:
            return f"{tokens:,} of the {self.agent_tokens:,} tokens of the episode are used"
        if (
            self.cost_limit is not None
            and (cost := sum(self._cost(usage, agent) for usage in spent)) >= self.cost_limit
        ):
            return f"{cost:.4g} of the {self.cost_limit:g} USD of the episode are spent"
        return ""

    def _cost(self, usage: Usage, agent: str) -> float:
        # A server may answer with another model than requested, and charge for that one.
        price = self.prices.get(usage.model) or self.prices.get(agent)
        if price is None:
            # The agent chose its model by itself, so its price could not be checked before the run.
            raise InfrastructureError(f"cost-limit needs the price of model {usage.model!r}; add it to prices")
        return price.of(usage.tokens_in, usage.tokens_out)

    def identity(self) -> list[object]:
        """Return the limits as part of a cell's identity."""
        # Unset limits are left out, so that older cells keep their identity.
        tokens = [] if self.agent_tokens is None else [self.agent_tokens]
        cost = [] if self.cost_limit is None else [{"cost_limit": self.cost_limit}]
        return [self.max_steps, self.agent_seconds, *tokens, *cost]

    def options(self) -> list[str]:
        """Return the command-line options for limits that differ from the defaults."""
        differing = ((name, value) for name, value in self._set() if value != Limits.model_fields[name].default)
        return [word for name, value in differing for word in (f"--{name.replace('_', '-')}", _number(value))]

    def __str__(self) -> str:
        """Return the limits in words: `100 steps, 60 s, 9,000 tokens`."""
        seconds = [] if self.agent_seconds is None else [f"{_number(self.agent_seconds)} s"]
        tokens = [] if self.agent_tokens is None else [f"{self.agent_tokens:,} tokens"]
        cost = [] if self.cost_limit is None else [f"{_number(self.cost_limit)} USD"]
        return ", ".join([f"{self.max_steps} steps", *seconds, *tokens, *cost])

    def _set(self) -> Iterator[tuple[str, float]]:
        return ((name, value) for name in LIMITS if (value := getattr(self, name)) is not None)


LIMITS = tuple(name for name in Limits.model_fields if name not in ("prices", "screenshots"))
"""Limits that can be used up: numbers that a chain multiplies by its tasks."""


def _number(value: float) -> str:
    # All digits: a rounded limit would be a different cell.
    return str(value).removesuffix(".0")
