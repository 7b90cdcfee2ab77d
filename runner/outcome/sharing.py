"""Divides work on the episodes of a recorded run among processes.

Each process handles every n-th episode, in the requested order, and answers in JSON Lines.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from stressweb.core.cores import cores
from stressweb.core.environment import environment
from stressweb.core.errors import AlteredError, DiskFullError, InfrastructureError, UserError
from stressweb.log.recording import Cell
from stressweb.log.store_reader import StoreReader
from stressweb.runner.registry import EXTENSIONS

type Kind = Literal["rows", "grades", "details"]
ERRORS = (AlteredError, UserError, DiskFullError, InfrastructureError)
"""Errors that a process reports by name; any other error is a bug."""
# Starting a process takes about as long as reading a hundred episodes.
_EPISODES_PER_PROCESS = {"rows": 1_000, "grades": 150, "details": 60}
"""Minimum number of episodes per process for which starting it pays off, by kind of work."""
_MAX_PROCESSES = 8
"""Maximum number of processes: each may use half a gigabyte for the pages of an episode."""


class Share(BaseModel):
    """The work of one process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    database: Path
    cells: tuple[Cell, ...]
    settings: dict[str, Any]
    """Further settings of this kind of work."""
    extensions: tuple[str, ...]
    """Extensions to load, as for --load: files, folders, `module:Class`."""
    parent: int
    """Process id of the parent; the process ends when its parent is no longer this one."""


def work(
    kind: Kind,
    store: StoreReader,
    cells: Sequence[Cell],
    settings: Mapping[str, Any],
    function: Callable[[StoreReader, Sequence[Cell], Mapping[str, Any]], Iterator[Any]],
) -> Iterator[Any]:
    """Yield the results of `function` for each cell, in order; a large run is divided among several processes.

    `function` is what `stressweb.runner.outcome.share` calls for this kind of work. Raises the same errors as `shared`.
    """
    count = processes(kind, len(cells))
    return function(store, cells, settings) if count == 1 else shared(kind, store.path, cells, settings, count)


def processes(kind: Kind, episodes: int, most: int | None = None) -> int:
    """Return how many processes to use for so many episodes; 1 means only this process.

    `most` is the number of cores, by default that of this machine.
    """
    return max(1, min(most or cores(), episodes // _EPISODES_PER_PROCESS[kind], _MAX_PROCESSES))


def shared(kind: Kind, database: Path, cells: Sequence[Cell], settings: Mapping[str, Any], count: int) -> Iterator[Any]:
    """Divide work among `count` processes; yield the result for each cell, in order, as JSON values.

    Raises one of `ERRORS` if a process raised it, and RuntimeError for any other error in a process.
    """
    with ExitStack() as stack:
        started = [
            stack.enter_context(
                _Running(
                    Share(
                        kind=kind,
                        database=database,
                        cells=tuple(cells[offset::count]),
                        settings=dict(settings),
                        extensions=EXTENSIONS.sources,
                        parent=os.getpid(),
                    )
                )
            )
            for offset in range(count)
        ]
        # In turn, so that the first answers are available first; a faster process waits on its full pipe.
        for index in range(len(cells)):
            yield started[index % count].answer()


class _Running:
    """A running process; as a context manager, it kills the process on exit."""

    def __init__(self, share: Share) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "stressweb.runner.outcome.share"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # Only the parent handles Ctrl-C, and then ends its processes.
            start_new_session=True,
            env=environment(),
        )
        assert self._process.stdin is not None
        # The process reads everything before it answers. If it dies meanwhile, `answer` reports that.
        with contextlib.suppress(OSError), self._process.stdin as stdin:
            stdin.write(share.model_dump_json())

    def answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise InfrastructureError(f"a process that reads the run exited with status {self._process.wait()}")
        answer = json.loads(line)
        if "failed" in answer:
            kinds = {kind.__name__: kind for kind in ERRORS}
            raise kinds.get(answer["kind"], RuntimeError)(answer["failed"])
        return answer["answer"]

    def __enter__(self) -> "_Running":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
