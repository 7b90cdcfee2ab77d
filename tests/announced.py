"""Reads that are announced by an event, of a page that belongs to no episode."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any


class _Nothing:
    """What disturbs no page: it knows the name of the event."""

    binding = ""

    def __init__(self, event: str) -> None:
        self.read_event = event

    def called(self, payload: str) -> None:
        """Forget a report."""

    def attempts(self) -> Mapping[str, Mapping[str, int]]:
        """Return no attempts."""
        return {}


class Announced:
    """What a recorder takes for an episode; it forgets what is read."""

    site = "toy"
    hosts: Sequence[str] = ()
    sites: Mapping[str, str] = MappingProxyType({})

    def __init__(self, event: str) -> None:
        """Take the name of the event."""
        self.perturber = _Nothing(event)

    def read(
        self, url: str, answer: Mapping[str, Any] | None, controls: Sequence[Sequence[str]], *, more: bool = False
    ) -> None:
        """Forget what was read."""
