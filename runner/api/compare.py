"""Compares a run with an earlier one."""

from stressweb.runner.outcome.comparing import Compared, Side, compared, replays, side

__all__ = ["Compared", "Side", "compared", "replays", "side"]
