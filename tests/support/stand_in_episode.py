"""A recorder's stand-in for an episode: the recorder announces reads by an event on a page without an episode."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any


class _NoPerturber:
    """Perturber that disturbs no page; it only knows the name of the event."""

    binding = ""

    def __init__(self, event: str) -> None:
        self.read_event = event

    def begin_read(self) -> None:
        pass

    def take_binding_call(self, payload: str) -> None:
        """Ignore a report."""

    def attempts(self) -> Mapping[str, Mapping[str, int]]:
        """Return no attempts."""
        return {}


class StandInEpisode:
    """Stand-in for an episode that ignores every read."""

    site = "toy"
    hosts: Sequence[str] = ()
    sites: Mapping[str, str] = MappingProxyType({})

    def __init__(self, event: str) -> None:
        """Take the name of the event."""
        self.perturber = _NoPerturber(event)

    def read(
        self,
        url: str,
        answer: Mapping[str, Any] | None,
        controls: Sequence[Sequence[str]],
        *,
        more_frames: bool = False,
    ) -> None:
        """Ignore a read."""
