"""Stops a run in which nothing works, because further episodes would only fail in the same way."""

from collections import Counter

from stressweb.runner.execution.backend import Finished
from stressweb.runner.execution.listener import Listener
from stressweb.runner.plan.budget import Gate

FIRST = 5
"""The run stops if this many first episodes of the run, or of one agent, all end in an error."""


class OutageGate(Gate, Listener):
    """Closes when an endpoint refuses all further requests, or when the first episodes all ended in an error."""

    def __init__(self) -> None:
        """Start counting; a resumed run starts from zero."""
        self._errors, self._working = Counter[str](), set[str]()
        self.reason = ""
        """Why the run stops, in a few words; empty while it continues."""

    @property
    def shut(self) -> bool:
        """Whether the run stops."""
        return bool(self.reason)

    def finished(self, finished: Finished) -> None:
        """Count an episode that has ended."""
        agent = finished.cell.agent
        if finished.status != "error":
            self._working |= {"", agent}
            return
        if self.reason:
            return
        if finished.ends_run:
            self.reason = finished.message
            return
        # Count by agent, since only one may fail, and in total, since many agents may fail for the same reason.
        for name, whose in (("", "the first"), (agent, f"of {agent}, the first")):
            self._errors[name] += 1
            if name not in self._working and self._errors[name] == FIRST and not self.reason:
                self.reason = f"{whose} {FIRST} episodes all ended in an error, the last: {finished.message}"
