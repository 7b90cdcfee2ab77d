"""A detour: another way to a goal."""

from collections.abc import Callable
from dataclasses import dataclass

from stressweb.walking.walker import Walker

type Walk = Callable[[Walker], object]


@dataclass(frozen=True)
class Detour:
    """Another way: a description of what a person does, and how to walk it from the first page."""

    kind: str
    what: str
    walk: Walk
