"""Rotation of tasks over nights, so that each runs equally often."""

from collections.abc import Sequence

from stressweb.core.draws import digest


def tonight(tasks: Sequence[str], size: int, night: int) -> tuple[str, ...]:
    """Return the tasks of a night, in their order in `tasks`; all tasks if there are at most `size`.

    The tasks form a ring in an order that only depends on their ids, and each night takes the next `size` of them. So
    the same night has the same tasks on every machine, every task runs within `len(tasks) / size` nights, rounded up,
    and no night has a task twice.
    """
    ring = sorted(tasks, key=lambda task: digest("rotation", task, size=8))
    if len(ring) <= size:
        return tuple(tasks)
    first = night * size % len(ring)
    # Doubled, so that a night may pass the end of the ring.
    chosen = set((ring + ring)[first : first + size])
    return tuple(task for task in tasks if task in chosen)
