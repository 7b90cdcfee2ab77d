"""Rotation of tasks over nights: a few each night, in turn, so that each is run equally often."""

from collections.abc import Sequence

from stressweb.core.draws import digest


def tonight(tasks: Sequence[str], size: int, night: int) -> tuple[str, ...]:
    """Return the tasks of a night, in their order in `tasks`.

    The tasks form a ring in an order that depends only on their ids, and each night takes the next `size` of them. So
    the same night has the same tasks everywhere, every task is run within `len(tasks) / size` nights, rounded up, and
    no night has a task twice. Returns all tasks if there are no more than `size`.
    """
    ring = sorted(tasks, key=lambda task: digest("rotation", task, size=8))
    if len(ring) <= size:
        return tuple(tasks)
    first = night * size % len(ring)
    # Twice the ring, so that a night may pass its end.
    taken = set((ring + ring)[first : first + size])
    return tuple(task for task in tasks if task in taken)
