"""The pace of a run, measured while its page is open."""

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from typing import NamedTuple

from stressweb.runner.view.runs import RunSummary

WINDOW_S = 600.0
"""Length of the window over which the rate is measured."""


class Pace(NamedTuple):
    """The rate at which episodes finish."""

    per_minute: float | None
    """None until two episodes have ended while the page was open."""
    left_s: float | None
    """Seconds left at this rate; None without a rate."""


class Watch:
    """Remembers the numbers of recorded episodes of each run over time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Take a clock in seconds."""
        self._clock = clock
        self._seen: dict[str, deque[tuple[float, int]]] = defaultdict(deque)
        self._lock = threading.Lock()

    def pace(self, run: RunSummary) -> Pace:
        """Record the current state of a run and return its pace."""
        now = self._clock()
        with self._lock:
            seen = self._seen[run.name]
            # With fewer episodes than before, the folder has another run.
            if seen and run.done < seen[-1][1]:
                seen.clear()
            if not seen or run.done > seen[-1][1]:
                seen.append((now, run.done))
            # Keep at least two points, so that a run whose episodes take longer than the window has a rate.
            while len(seen) > 2 and now - seen[0][0] > WINDOW_S:
                seen.popleft()
            start, first = seen[0]
            ended = run.done - first
        # The first point only marks the start, since its episodes ended earlier.
        rate = ended / (now - start) if ended >= 2 and now > start else None
        return Pace(rate and 60 * rate, (run.total - run.done) / rate if rate else None)
