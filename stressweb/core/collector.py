"""Sets Python's garbage collector for processes that hold worlds."""

import gc

_ALLOCATIONS = 20_000
_ROUNDS = 20


def collect_rarely() -> None:
    """Let the garbage collector of this process run less often.

    A world has hundreds of thousands of objects that stay until the process ends. With Python's own thresholds, the
    collector looks at them over and over while the next world is drawn, and in the middle of episodes.
    """
    gc.set_threshold(_ALLOCATIONS, _ROUNDS, _ROUNDS)
