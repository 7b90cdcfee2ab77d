"""A run in which nothing works stops: each further episode would only fail in the same way."""

from collections import Counter

from runner.execution.backend import Finished
from runner.execution.listener import Listener
from runner.plan.budget import Gate

FIRST = 5
"""Episodes of a run, or of one of its agents, that must not all end in an error at its beginning."""


class OutageGate(Gate, Listener):
    """Closes when an endpoint refuses all further requests, or when the first episodes all ended in an error."""

    def __init__(self) -> None:
        """Begin to count; a run that is continued begins anew."""
        self._errors, self._working = Counter[str](), set[str]()
        self.reason = ""
        """Why the run stops, in a few words; empty while it goes on."""

    @property
    def shut(self) -> bool:
        """Whether the run stops."""
        return bool(self.reason)

    def finished(self, finished: Finished) -> None:
        """Take an episode that has ended."""
        agent = finished.cell.agent
        if finished.status != "error":
            self._working |= {"", agent}
            return
        if self.reason:
            return
        if finished.ends_run:
            self.reason = finished.message
            return
        # By agent, since others may work where one does not; and over all, since many agents may share one fault.
        for name, whose in (("", "the first"), (agent, f"of {agent}, the first")):
            self._errors[name] += 1
            if name not in self._working and self._errors[name] == FIRST and not self.reason:
                self.reason = f"{whose} {FIRST} episodes all ended in an error, the last: {finished.message}"
