"""A recorder's stand-in for an episode: the recorder announces reads by an event on a page without an episode."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

type Attempts = Callable[[], Mapping[str, Mapping[str, int]]]


class _NoPerturber:
    """Perturber that disturbs no page; it only knows the name of the event."""

    binding = ""

    def __init__(self, event: str, attempts: Attempts) -> None:
        self.read_event = event
        self.attempts = attempts

    def begin_read(self) -> None:
        pass

    def take_binding_call(self, payload: str) -> None:
        """Ignore a report."""


class StandInEpisode:
    """Stand-in for an episode that ignores every read."""

    site = "toy"
    hosts: Sequence[str] = ()
    sites: Mapping[str, str] = MappingProxyType({})

    def __init__(self, event: str, attempts: Attempts = dict) -> None:
        """Take the name of the event, and what returns the attempts so far; without it there are none."""
        self.perturber = _NoPerturber(event, attempts)

    def read(
        self,
        url: str,
        answer: Mapping[str, Any] | None,
        controls: Sequence[Sequence[str]],
        *,
        more_frames: bool = False,
    ) -> None:
        """Ignore a read."""
