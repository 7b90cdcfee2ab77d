"""Which tasks a night runs: a few of many, in turn, so that each comes up equally often."""

from collections.abc import Sequence

from stressweb.core.draws import digest


def tonight(tasks: Sequence[str], size: int, night: int) -> tuple[str, ...]:
    """Return the tasks of a night, in the order in which all are given.

    The tasks stand on a ring in an order that only their ids decide, and each night takes the next `size` of them. So
    the same night has the same tasks everywhere, every task comes up within `len(tasks) / size` nights, rounded up, and
    no night has one twice. All tasks if there are no more than `size`.
    """
    ring = sorted(tasks, key=lambda task: digest("rotation", task, size=8))
    if len(ring) <= size:
        return tuple(tasks)
    first = night * size % len(ring)
    # Twice the ring, so that a night may go over its end.
    taken = set((ring + ring)[first : first + size])
    return tuple(task for task in tasks if task in taken)
