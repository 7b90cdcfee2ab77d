"""The runs in a folder, cached until they change; read-only."""

import datetime
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from stressweb.analysis.graded import Graded
from stressweb.core.conditions import CLEAN
from stressweb.core.errors import DiskFullError, UserError
from stressweb.log.episode import EpisodeEnd
from stressweb.log.recording import Cell
from stressweb.log.store import FILE, Store
from stressweb.runner.outcome.results import graded

ACTIVE_S = 120.0
"""Seconds since the last write for which an unfinished run counts as running."""

type Signature = tuple[tuple[int, int], ...]
"""Sizes and modification times of a run's database and its write-ahead log."""


class SuccessCount(NamedTuple):
    """Successes of an agent."""

    successes: int
    episodes: int
    """Episodes without those with status error."""


@dataclass(frozen=True)
class RunSummary:
    """A run in the list."""

    name: str
    """Path of its folder, relative to the folder of runs; "." for that folder itself."""
    changed: float
    """Time of the last write, in seconds since 1970."""
    broken: str = ""
    """Why it cannot be read; empty if it can."""
    agents: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    tasks: int = 0
    total: int = 0
    done: int = 0
    """Recorded episodes, including those with status error."""
    failed: int = 0
    errors: int = 0
    clean: Mapping[str, SuccessCount] = field(default_factory=dict)
    """Success of each agent under clean."""
    stressed: Mapping[str, SuccessCount] = field(default_factory=dict)
    """Success of each agent under all other conditions."""
    suite: str = ""
    version: str = ""

    @property
    def finished(self) -> bool:
        """Whether every planned episode is recorded."""
        return not self.broken and self.done >= self.total

    @property
    def active(self) -> bool:
        """Whether the run is probably in progress."""
        return not self.broken and not self.finished and time.time() - self.changed < ACTIVE_S

    @property
    def date(self) -> str:
        """Time of the last write: `2026-11-22 12:30`."""
        return datetime.datetime.fromtimestamp(self.changed).astimezone().strftime("%Y-%m-%d %H:%M")


@dataclass(frozen=True)
class RunContent:
    """The episodes of a run."""

    graded: tuple[Graded, ...]
    cells: tuple[Cell, ...]
    identities: Mapping[str, str]
    """Identity of each planned cell, by key."""


class _Cache[T]:
    """Cache of runs' content, until they change."""

    def __init__(self) -> None:
        self._cached: dict[str, tuple[Signature, T]] = {}
        self._lock = threading.Lock()

    def get(self, name: str, folder: Path, read: Callable[[], T]) -> T:
        """Return the cached content of a run; if the run has changed, read it again."""
        # Before reading, so that the next call notices writes during the read.
        now = signature(folder)
        with self._lock:
            cached = self._cached.get(name)
        if cached and cached[0] == now:
            return cached[1]
        # Without the lock, so that other pages do not wait for a large run. Two threads may read the same run.
        content = read()
        with self._lock:
            self._cached[name] = now, content
        return content


class Runs:
    """The runs in a folder, cached until they change. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Take a folder of runs, or the folder of one run."""
        self.folder = folder
        self._contents: _Cache[RunContent] = _Cache()
        self._summaries: _Cache[RunSummary] = _Cache()

    def names(self) -> dict[str, Path]:
        """Return the folders of all runs, by name."""
        # Down to two levels, since a history of nights has a subfolder of runs.
        patterns = FILE, f"*/{FILE}", f"*/*/{FILE}"
        # Not cached, since runs may be added and removed at any time.
        folders = [path.parent for pattern in patterns for path in sorted(self.folder.glob(pattern))]
        return {path.relative_to(self.folder).as_posix(): path for path in folders}

    def path(self, name: str) -> Path:
        """Return the folder of a run; raises UserError for an unknown name."""
        try:
            # Looked up, not joined to a path, so that no name in a URL leads out of the folder.
            return self.names()[name]
        except KeyError:
            raise UserError(f"there is no run {name[:120]!r} in {self.folder}") from None

    def summaries(self) -> list[RunSummary]:
        """Return every run, the most recently written first."""
        return sorted((self.summary(name) for name in self.names()), key=lambda run: (-run.changed, run.name))

    def summary(self, name: str) -> RunSummary:
        """Return a run's summary; `broken` says why if the run cannot be read. Raises UserError for an unknown name.

        The seals of episodes are only checked for a report or a comparison.
        """
        folder = self.path(name)
        changed = max((stamp / 1e9 for _, stamp in signature(folder)), default=0.0)
        try:
            return self._summaries.get(name, folder, lambda: _summary(name, changed, folder))
        # A broken run must not hide the other runs.
        except (UserError, DiskFullError, OSError) as error:
            return RunSummary(name, changed, broken=" ".join(str(error).split()))

    def content(self, name: str) -> RunContent:
        """Return the episodes of a run; raises UserError if it cannot be read."""
        folder = self.path(name)
        return self._contents.get(name, folder, lambda: _content(folder))


def signature(folder: Path) -> Signature:
    """Return a signature that changes with every write to a run."""
    stats = []
    # SQLite writes to the log first, so the database alone may stay unchanged for long.
    for name in (FILE, f"{FILE}-wal"):
        try:
            stat = (folder / name).stat()
        except OSError:
            continue
        # Readers create and remove an empty log.
        if stat.st_size:
            stats.append((stat.st_size, stat.st_mtime_ns))
    return tuple(stats)


def _content(folder: Path) -> RunContent:
    with Store.read(folder / FILE) as store:
        return RunContent(tuple(graded(store)), tuple(store.cells()), store.identities())


def _summary(name: str, changed: float, folder: Path) -> RunSummary:
    with Store.read(folder / FILE) as store:
        store.check_whole()
        meta, cells, episodes = store.meta(), store.cells(), store.outcomes()
    counted = [episode for episode in episodes if episode.status != "error" and episode.success is not None]
    agents = tuple(dict.fromkeys(cell.agent for cell in cells))
    return RunSummary(
        name=name,
        changed=changed,
        agents=agents,
        conditions=tuple(dict.fromkeys(cell.condition for cell in cells)),
        tasks=len({cell.task for cell in cells}),
        total=len(cells),
        done=len(episodes),
        failed=sum(not episode.success for episode in counted),
        errors=sum(episode.status == "error" for episode in episodes),
        clean={agent: _success_count(counted, agent, clean=True) for agent in agents},
        stressed={agent: _success_count(counted, agent, clean=False) for agent in agents},
        suite=str(meta.get("suite", "")),
        version=str(meta.get("version", "")),
    )


def _success_count(episodes: Sequence[EpisodeEnd], agent: str, *, clean: bool) -> SuccessCount:
    own = [
        episode.success is True
        for episode in episodes
        if episode.cell.agent == agent and (episode.cell.condition == CLEAN.label) is clean
    ]
    return SuccessCount(sum(own), len(own))
