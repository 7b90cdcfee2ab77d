"""Counts repeated actions of an agent."""

from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from stressweb.plugins.actions import Action

# Without the texts, which a model words differently each time.
_bare = attrgetter(*(name for name in Action.model_fields if name not in ("reasoning", "message")))


class Repeats(NamedTuple):
    """Repeated actions in one episode."""

    total: int
    longest: int


def repetitions(actions: Sequence[Action]) -> Repeats:
    """Count actions equal to the previous one, apart from their texts, and the most of them in a row."""
    total = longest = running = 0
    for before, action in pairwise(map(_bare, actions)):
        running = running + 1 if action == before else 0
        total += running > 0
        longest = max(longest, running)
    return Repeats(total, longest)
