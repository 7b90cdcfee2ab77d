"""How many processors this process may use."""

import os


def cores() -> int:
    """Return how many processors this process may use."""
    # Not what the machine has but what this process may use: containers and schedulers allow less.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
