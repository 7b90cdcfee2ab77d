"""Several conditions side by side: the tasks that have pairs with clean under every one of them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stressweb.analysis.curves.estimands import Places, places
from stressweb.analysis.pairing import Pair, Task
from stressweb.analysis.statistics import Floats

type Arm = Mapping[Task, Pair]
"""Of one condition, each task's means under clean and under the condition."""


class Joint(NamedTuple):
    """Success of the tasks that every condition has: a row for each task, a column for each condition."""

    where: Places
    clean: Floats
    """Success under clean, over the episodes that are paired with those of the column."""
    stressed: Floats

    @property
    def tasks(self) -> int:
        """How many tasks all conditions have."""
        return self.where.size

    @property
    def differences(self) -> Floats:
        """Success under each condition minus success under clean."""
        return self.stressed - self.clean


def joint(arms: Sequence[Arm]) -> Joint:
    """Return the tasks that all of these conditions have, in the order of their names."""
    tasks = sorted(set(arms[0]).intersection(*arms[1:]))
    cells = [[arm[task] for arm in arms] for task in tasks]
    # Said, because without a common task an array of no rows would not know of its columns.
    shape = (len(tasks), len(arms))
    return Joint(
        places([site for site, _ in tasks]),
        np.array([[cell.clean.success for cell in row] for row in cells]).reshape(shape),
        np.array([[cell.stressed.success for cell in row] for row in cells]).reshape(shape),
    )
