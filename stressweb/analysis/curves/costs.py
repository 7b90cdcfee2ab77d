"""The cost of success: tokens, money and time, including episodes with errors, which cost, too."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressweb.analysis.graded import Graded
from stressweb.core.price import Price


@dataclass(frozen=True)
class Costs:
    """One agent under one condition. The figures are actual sums, so they have no interval."""

    agent: str
    condition: str
    episodes: int
    """All episodes, including errors."""
    successes: int
    tokens_in: int
    tokens_out: int
    seconds: float
    """Sum of the wall clock times of all episodes, including those that ran in parallel."""
    steps: int
    dollars: float | None
    """None if no price is known."""
    tokens_per_success: float | None
    """Tokens in and out of all episodes / successes; None without success."""
    dollars_per_success: float | None
    """None without success or price."""
    seconds_per_success: float | None
    """None without success."""
    steps_per_success: float | None
    """None without success."""


def costs(agent: str, condition: str, episodes: Sequence[Graded], price: Price | None = None) -> Costs:
    """Add up the costs of one condition's episodes, including failures, and divide them by the successes."""
    tokens_in, tokens_out = (
        sum(episode.tokens_in for episode in episodes),
        sum(episode.tokens_out for episode in episodes),
    )
    dollars = None if price is None else price.of(tokens_in, tokens_out)
    seconds, steps = sum(episode.seconds for episode in episodes), sum(episode.steps for episode in episodes)
    successes = sum(episode.success and episode.counts for episode in episodes)

    def each(total: float | None) -> float | None:
        # Without a success, the cost of a success is unknown, not infinite.
        return total / successes if successes and total is not None else None

    return Costs(
        agent=agent,
        condition=condition,
        episodes=len(episodes),
        successes=successes,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        seconds=seconds,
        steps=steps,
        dollars=dollars,
        tokens_per_success=each(tokens_in + tokens_out),
        dollars_per_success=each(dollars),
        seconds_per_success=each(seconds),
        steps_per_success=each(steps),
    )
