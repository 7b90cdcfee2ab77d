"""Several conditions together: the tasks with pairs under all of them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stressweb.analysis.curves.estimands import Places, places
from stressweb.analysis.pairing import Family, Pair, Task
from stressweb.analysis.statistics import Families, Floats


class Arm(NamedTuple):
    """A condition compared with clean."""

    pairs: Mapping[Task, Pair]
    """The means of each task under clean and under the condition."""
    families: Mapping[Task, Family]
    """The family of each task; may have further tasks."""


class Joint(NamedTuple):
    """Success of the tasks that all conditions have: a row for each task, a column for each condition."""

    where: Places
    clean: Floats
    """Success under clean, over the episodes that are paired with those of the column's condition."""
    stressed: Floats
    families: Families = None
    """The family of each task."""

    @property
    def tasks(self) -> int:
        """Number of common tasks."""
        return self.where.size

    @property
    def units(self) -> int:
        """Number of families of these tasks, the units of intervals and tests."""
        return self.tasks if self.families is None else len(set(self.families))

    @property
    def differences(self) -> Floats:
        """Success under each condition minus success under clean."""
        return self.stressed - self.clean


def joint(arms: Sequence[Arm]) -> Joint:
    """Return the common tasks of these conditions, sorted by name."""
    tasks = sorted(set.intersection(*(set(arm.pairs) for arm in arms)))
    cells = [[arm.pairs[task] for arm in arms] for task in tasks]
    # Explicit, because an array without rows would have no columns.
    shape = (len(tasks), len(arms))
    return Joint(
        places([site for site, _ in tasks]),
        np.array([[cell.clean.success for cell in row] for row in cells]).reshape(shape),
        np.array([[cell.stressed.success for cell in row] for row in cells]).reshape(shape),
        [arms[0].families[task] for task in tasks],
    )
