"""What an agent has for one episode."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from stressweb.plugins.agent import Usage

MAX_STEPS = 100
"""Actions that an agent has for an episode where a run does not say otherwise."""

type Count = Annotated[int, Field(ge=1)]


class Limits(BaseModel):
    """What an agent has for one episode. Experiments and plans state it in fields of the same names, and so do options.

    A field that is added here is part of both, and travels with the plan to every worker.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_steps: Count = MAX_STEPS
    """Actions that an agent has for an episode."""
    agent_seconds: Annotated[float, Field(gt=0)] | None = None
    """Time limit per episode, in seconds; without one each decision has its agent's `decision_seconds`."""
    agent_tokens: Count | None = None
    """Tokens, in and out, that an agent has for an episode."""
    screenshots: bool = False
    """Whether a small picture of every step is recorded if the agent asks for none; what it sees is always recorded."""

    @property
    def limits(self) -> "Limits":
        """These limits alone, of whatever else states them."""
        return Limits(**{name: getattr(self, name) for name in Limits.model_fields})

    def times(self, tasks: int) -> Self:
        """Return the limits of an episode of so many tasks: each brings its own steps, seconds, tokens."""
        return self.model_copy(update={name: value * tasks for name, value in self._set()})

    def used_up(self, usage: Usage) -> str:
        """Return which limit is reached by what an agent's decisions cost, in a few words; empty if none is."""
        tokens = usage.tokens_in + usage.tokens_out
        if self.agent_tokens is not None and tokens >= self.agent_tokens:
            return f"{tokens:,} of the {self.agent_tokens:,} tokens of the episode are used"
        return ""

    def identity(self) -> list[object]:
        """Return what the identity of a cell has of its limits."""
        # Without a limit that came later, a cell is what it was before there was such a limit.
        return [self.max_steps, self.agent_seconds, *([] if self.agent_tokens is None else [self.agent_tokens])]

    def options(self) -> list[str]:
        """Return the options of the command line that state what differs from the defaults."""
        differing = ((name, value) for name, value in self._set() if value != Limits.model_fields[name].default)
        return [word for name, value in differing for word in (f"--{name.replace('_', '-')}", _number(value))]

    def __str__(self) -> str:
        """Return the limits in words: `100 steps, 60 s, 9,000 tokens`."""
        seconds = [] if self.agent_seconds is None else [f"{_number(self.agent_seconds)} s"]
        tokens = [] if self.agent_tokens is None else [f"{self.agent_tokens:,} tokens"]
        return ", ".join([f"{self.max_steps} steps", *seconds, *tokens])

    def _set(self) -> Iterator[tuple[str, float]]:
        return ((name, value) for name in LIMITS if (value := getattr(self, name)) is not None)


LIMITS = tuple(name for name in Limits.model_fields if name != "screenshots")
"""What can be used up: a number each, of which a chain has one for each of its tasks."""


def _number(value: float) -> str:
    # All digits: a number that is rounded would be another limit, and the replay another cell.
    return str(value).removesuffix(".0")
