"""A detour: another way to a goal."""

from collections.abc import Callable
from dataclasses import dataclass

from stressweb.walking.walker import Walker

type Walk = Callable[[Walker], object]


@dataclass(frozen=True)
class Detour:
    """Another way to a goal: its description, and the function that walks it from the first page."""

    kind: str
    what: str
    walk: Walk
