"""Estimates from earlier runs: how long the cells of a plan take, and what they cost."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from stressweb.core.errors import DiskFullError, UserError
from stressweb.log.recording import Cell
from stressweb.log.store import FILE, Store

MOST_RUNS = 20
"""Runs that are looked at, the newest first: an old one says little about today's machine."""


@dataclass(frozen=True)
class Cost:
    """What one episode took."""

    seconds: float
    tokens_in: float = 0.0
    tokens_out: float = 0.0


@dataclass(frozen=True)
class Estimate:
    """What some cells are expected to take together, one after the other."""

    seconds: float
    """Sum over the cells; unknown ones count as much as the mean of the others."""
    tokens_in: float
    tokens_out: float
    known: int
    """Cells of which an earlier run had the same agent on the same task."""
    episodes: int
    """Episodes of earlier runs that this is made from."""


class Earlier:
    """Episodes of earlier runs, by agent, task and condition."""

    def __init__(self, costs: Iterable[tuple[Cell, Cost]] = ()) -> None:
        """Take cells, each with what its episode took."""
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
        """Return what an episode of a cell may take: the median of those that are most like it; None if none are."""
        # A mode costs an agent steps of its own, so the same condition comes first.
        found = self._exact.get((cell.agent, cell.task, cell.condition)) or self._exact.get((cell.agent, cell.task))
        # Another agent on the same task uses other numbers of tokens, so it comes last.
        found = found or self._agent.get(cell.agent) or self._task.get(cell.task)
        return _typical(found) if found else None

    def knows(self, cell: Cell) -> bool:
        """Return whether an earlier run had the same agent on the same task."""
        return (cell.agent, cell.task) in self._exact

    def estimate(self, cells: Sequence[Cell]) -> Estimate | None:
        """Return what cells are expected to take; None if no earlier run says anything about any of them."""
        found = [cost for cell in cells if (cost := self.cost(cell)) is not None]
        if not found:
            return None
        # An unknown cell counts as the mean of the others; without it the estimate would be too low.
        scale = len(cells) / len(found)
        return Estimate(
            seconds=scale * sum(cost.seconds for cost in found),
            tokens_in=scale * sum(cost.tokens_in for cost in found),
            tokens_out=scale * sum(cost.tokens_out for cost in found),
            known=sum(map(self.knows, cells)),
            episodes=self.episodes,
        )

    def seconds(self, cell: Cell) -> float:
        """Return how long a cell may take, in seconds; 1 if nothing is known of any cell like it."""
        cost = self.cost(cell)
        return cost.seconds if cost else 1.0


def earlier(runs_dir: Path) -> Earlier:
    """Return what the newest runs of a folder took; a file that cannot be read as a run is passed over."""
    return Earlier(_costs(runs_dir))


def newest(runs_dir: Path) -> list[Path]:
    """Return the databases of the newest runs of a folder, the newest first."""
    dated = []
    for path in runs_dir.glob(f"*/{FILE}"):
        try:
            dated.append((path.stat().st_mtime, path))
        # A run may be removed while the folder is read.
        except OSError:
            continue
    return [path for _, path in sorted(dated, reverse=True)[:MOST_RUNS]]


def _costs(runs_dir: Path) -> Iterable[tuple[Cell, Cost]]:
    for path in newest(runs_dir):
        try:
            with Store.read(path) as store:
                for cell, status, seconds, usage in store.costs():
                    # An error says nothing about how long the agent would have taken.
                    if status != "error":
                        yield cell, Cost(seconds, usage.tokens_in, usage.tokens_out)
        # A file that is not a run, or of another version, only makes the estimate poorer.
        except (UserError, DiskFullError):
            continue


def _typical(costs: Sequence[Cost]) -> Cost:
    return Cost(
        # One episode on a machine that was busy must not decide how long all others are expected to take.
        median(one.seconds for one in costs),
        fmean(one.tokens_in for one in costs),
        fmean(one.tokens_out for one in costs),
    )
