"""Estimates of the time and cost of a plan's cells, from earlier runs."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from stressweb.core.errors import DiskFullError, UserError
from stressweb.log.recording import Cell
from stressweb.log.store import FILE, Store

MAX_RUNS = 20
"""Maximum number of runs to read, newest first; older ones are poor predictors."""


@dataclass(frozen=True)
class Cost:
    """Time and tokens of an episode."""

    seconds: float
    tokens_in: float = 0.0
    tokens_out: float = 0.0


@dataclass(frozen=True)
class Estimate:
    """Expected time and tokens of some cells in total, one after the other."""

    seconds: float
    """Sum over the cells; a cell without similar episodes counts as the mean of the others."""
    tokens_in: float
    tokens_out: float
    known: int
    """Number of cells with the agent and task of an earlier episode."""
    episodes: int
    """Number of episodes of earlier runs on which the estimate is based."""


class EarlierRuns:
    """Episodes of earlier runs, by agent, task and condition."""

    def __init__(self, costs: Iterable[tuple[Cell, Cost]] = ()) -> None:
        """Take cells with the costs of their episodes."""
        self._exact = defaultdict[tuple[str, ...], list[Cost]](list)
        self._agent, self._task = defaultdict[str, list[Cost]](list), defaultdict[str, list[Cost]](list)
        self.episodes = 0
        for cell, cost in costs:
            self.episodes += 1
            self._exact[cell.agent, cell.task, cell.condition].append(cost)
            self._exact[cell.agent, cell.task].append(cost)
            self._agent[cell.agent].append(cost)
            self._task[cell.task].append(cost)

    def cost(self, cell: Cell) -> Cost | None:
        """Return the expected cost of a cell: the median of the most similar episodes; None if there are none."""
        # Modes add steps, so the same condition comes first.
        costs = self._exact.get((cell.agent, cell.task, cell.condition)) or self._exact.get((cell.agent, cell.task))
        # Other agents on the same task come last, because their token counts differ.
        costs = costs or self._agent.get(cell.agent) or self._task.get(cell.task)
        return _typical(costs) if costs else None

    def knows(self, cell: Cell) -> bool:
        """Return whether an earlier run had the same agent on the same task."""
        return (cell.agent, cell.task) in self._exact

    def estimate(self, cells: Sequence[Cell]) -> Estimate | None:
        """Return the expected cost of cells; None if no earlier run had a similar one."""
        costs = [cost for cell in cells if (cost := self.cost(cell)) is not None]
        if not costs:
            return None
        # Scaled, so that an unknown cell counts as the mean of the others.
        scale = len(cells) / len(costs)
        return Estimate(
            seconds=scale * sum(cost.seconds for cost in costs),
            tokens_in=scale * sum(cost.tokens_in for cost in costs),
            tokens_out=scale * sum(cost.tokens_out for cost in costs),
            known=sum(map(self.knows, cells)),
            episodes=self.episodes,
        )

    def seconds(self, cell: Cell) -> float:
        """Return the expected time of a cell in seconds; 1 if no similar cell is known."""
        cost = self.cost(cell)
        return cost.seconds if cost else 1.0


def read_earlier_runs(runs_dir: Path) -> EarlierRuns:
    """Return the costs of the newest runs in a folder; unreadable files are skipped."""
    return EarlierRuns(_costs(runs_dir))


def newest(runs_dir: Path) -> list[Path]:
    """Return the databases of the newest runs in a folder, newest first."""
    dated = []
    for path in runs_dir.glob(f"*/{FILE}"):
        try:
            dated.append((path.stat().st_mtime, path))
        # The run was removed meanwhile.
        except OSError:
            continue
    return [path for _, path in sorted(dated, reverse=True)[:MAX_RUNS]]


def _costs(runs_dir: Path) -> Iterable[tuple[Cell, Cost]]:
    for path in newest(runs_dir):
        try:
            with Store.read(path) as store:
                for cell, status, seconds, usage in store.costs():
                    # An episode with status error may have ended early.
                    if status != "error":
                        yield cell, Cost(seconds, usage.tokens_in, usage.tokens_out)
        # An unreadable file only makes the estimate less accurate.
        except (UserError, DiskFullError):
            continue


def _typical(costs: Sequence[Cost]) -> Cost:
    return Cost(
        # The median, so that one episode on a busy machine does not dominate.
        median(cost.seconds for cost in costs),
        fmean(cost.tokens_in for cost in costs),
        fmean(cost.tokens_out for cost in costs),
    )
