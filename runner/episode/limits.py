"""What an agent has for one episode."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import Self

MAX_STEPS = 100
"""Actions that an agent has for an episode where a run does not say otherwise."""


@dataclass(frozen=True)
class Limits:
    """What an agent has for one episode."""

    steps: int = MAX_STEPS
    # Two numbers in the wrong order would be limits of another kind, and nothing would say so.
    _: KW_ONLY
    seconds: float | None = None
    """Time limit of the episode; None: each decision has the agent's `decision_seconds`."""
    tokens: int | None = None
    """Tokens, in and out, that the agent has for the episode; None: no limit."""
    screenshots: bool = False
    """Whether a small picture of every step is recorded if the agent asks for none; what it sees is always recorded."""

    def times(self, tasks: int) -> Self:
        """Return the limits of an episode of so many tasks: each brings its own steps, seconds and tokens."""
        seconds = None if self.seconds is None else self.seconds * tasks
        tokens = None if self.tokens is None else self.tokens * tasks
        return replace(self, steps=self.steps * tasks, seconds=seconds, tokens=tokens)
