"""One other way to a goal, as every kind of detour makes it."""

from collections.abc import Callable
from dataclasses import dataclass

from stressweb.walking.walker import Walker

type Walk = Callable[[Walker], object]


@dataclass(frozen=True)
class Detour:
    """One other way: what a person does, and how it is walked from the first page."""

    kind: str
    what: str
    walk: Walk
