"""The number of processors for this process."""

import os


def cores() -> int:
    """Return the number of processors that this process may use."""
    # Containers and schedulers may allow fewer than the machine has.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
