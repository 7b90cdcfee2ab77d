"""Divides work on the episodes of a recorded run among processes.

Each process takes every n-th episode, in the requested order, and answers in JSON Lines.
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
"""Errors that a process may report; any other error is a bug of ours."""
# Starting a process takes about as long as reading a hundred episodes.
_EPISODES_PER_PROCESS = {"rows": 1_000, "grades": 150, "details": 60}
"""Number of episodes from which another process is worth starting, by kind of work."""
_MAX_PROCESSES = 8
"""Maximum number of processes: each may hold the pages of an episode, half a gigabyte at worst."""


class Share(BaseModel):
    """The work of one process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    database: Path
    cells: tuple[Cell, ...]
    settings: dict[str, Any]
    """Further settings of this kind of work."""
    extensions: tuple[str, ...]
    """What the user loads with --load: files, folders, `module:Class`."""
    parent: int
    """Process id of the parent: if the parent is another process by now, the original has died."""


def work(
    kind: Kind,
    store: StoreReader,
    cells: Sequence[Cell],
    settings: Mapping[str, Any],
    here: Callable[[StoreReader, Sequence[Cell], Mapping[str, Any]], Iterator[Any]],
) -> Iterator[Any]:
    """Yield what `here` yields for each cell, in order; a large run is divided among several processes.

    `here` is what `stressweb.runner.outcome.share` does for this kind of work. Raises what `shared` raises.
    """
    among = processes(kind, len(cells))
    return here(store, cells, settings) if among == 1 else shared(kind, store.path, cells, settings, among)


def processes(kind: Kind, episodes: int) -> int:
    """Return how many processes are worth starting for so many episodes; 1 means this process."""
    return max(1, min(cores(), episodes // _EPISODES_PER_PROCESS[kind], _MAX_PROCESSES))


def shared(kind: Kind, database: Path, cells: Sequence[Cell], settings: Mapping[str, Any], among: int) -> Iterator[Any]:
    """Yield what `stressweb.runner.outcome.share` yields for each cell, in order, as JSON values.

    Raises those of `ERRORS` that a process raised, and RuntimeError if a process fails by a bug of ours.
    """
    with ExitStack() as stack:
        started = [
            stack.enter_context(
                _Running(
                    Share(
                        kind=kind,
                        database=database,
                        cells=tuple(cells[offset::among]),
                        settings=dict(settings),
                        extensions=EXTENSIONS.sources,
                        parent=os.getpid(),
                    )
                )
            )
            for offset in range(among)
        ]
        # In turns, so that the first answers can be used first; a process that is ahead waits for its pipe.
        for index in range(len(cells)):
            yield started[index % among].answer()


class _Running:
    """One process; as a context manager it kills the process on exit, whatever it is doing."""

    def __init__(self, share: Share) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "stressweb.runner.outcome.share"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # A Ctrl-C at the terminal is for the parent alone, which then ends its processes.
            start_new_session=True,
            env=environment(),
        )
        assert self._process.stdin is not None
        # All at once: it reads everything before it answers. If it dies meanwhile, `answer` reports it.
        with contextlib.suppress(OSError), self._process.stdin as stdin:
            stdin.write(share.model_dump_json())

    def answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise InfrastructureError(f"a process that reads the run ended with status {self._process.wait()}")
        answer = json.loads(line)
        if "failed" in answer:
            kinds = {kind.__name__: kind for kind in ERRORS}
            raise kinds.get(answer["kind"], RuntimeError)(answer["failed"])
        return answer["found"]

    def __enter__(self) -> "_Running":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
