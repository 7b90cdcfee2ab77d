"""Work on the episodes of a recorded run, shared out among processes.

Each process takes every n-th episode, in the order in which they are asked for, and answers in JSON Lines.
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

from runner.registry import EXTENSIONS
from stressweb.core.cores import cores
from stressweb.core.environment import environment
from stressweb.core.errors import AlteredError, DiskFullError, InfrastructureError, UserError
from stressweb.log.recording import Cell
from stressweb.log.store_reader import StoreReader

type Kind = Literal["rows", "grades", "details"]
ERRORS = (AlteredError, UserError, DiskFullError, InfrastructureError)
"""What a process may report as the failure of its work; anything else is a mistake of ours."""
# Starting a process takes about as long as reading a hundred episodes.
_FEWEST = {"rows": 1_000, "grades": 150, "details": 60}
"""Episodes from which another process is worth its start, by kind of work."""
_MOST = 8
"""Processes at once: each may hold the pages of an episode, half a gigabyte at worst."""


class Share(BaseModel):
    """What one process does."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    database: Path
    cells: tuple[Cell, ...]
    settings: dict[str, Any]
    """What the work needs to know besides."""
    extensions: tuple[str, ...]
    """What the user loads besides what ships: files, folders, `module:Class`."""
    parent: int
    """Process id of the parent: if it is another one by now, the parent has died."""


def work(
    kind: Kind,
    store: StoreReader,
    cells: Sequence[Cell],
    settings: Mapping[str, Any],
    here: Callable[[StoreReader, Sequence[Cell], Mapping[str, Any]], Iterator[Any]],
) -> Iterator[Any]:
    """Yield what `here` finds for each cell, in their order: in this process, or in several for a large run.

    `here` is what `runner.outcome.share` does for this kind of work. Raises what `shared` raises.
    """
    among = processes(kind, len(cells))
    return here(store, cells, settings) if among == 1 else shared(kind, store.path, cells, settings, among)


def processes(kind: Kind, episodes: int) -> int:
    """Return how many processes are worth their start for so many episodes; 1: do it in this one."""
    return max(1, min(cores(), episodes // _FEWEST[kind], _MOST))


def shared(kind: Kind, database: Path, cells: Sequence[Cell], settings: Mapping[str, Any], among: int) -> Iterator[Any]:
    """Yield what `runner.outcome.share` finds for each cell, in their order, as JSON values.

    Raises what a process raised of `ERRORS`, and RuntimeError if one fails by a mistake of ours.
    """
    with ExitStack() as stack:
        started = [
            stack.enter_context(
                _Running(
                    Share(
                        kind=kind,
                        database=database,
                        cells=tuple(cells[at::among]),
                        settings=dict(settings),
                        extensions=EXTENSIONS.sources,
                        parent=os.getpid(),
                    )
                )
            )
            for at in range(among)
        ]
        # In turns, so that what comes first can be used first; the pipe makes a process that is ahead wait.
        for at in range(len(cells)):
            yield started[at % among].answer()


class _Running:
    """One process; as a context it is ended, whatever it is doing, when its answers are no longer wanted."""

    def __init__(self, share: Share) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "runner.outcome.share"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # A Ctrl-C at the terminal is for the parent alone, which then ends its processes.
            start_new_session=True,
            env=environment(),
        )
        assert self._process.stdin is not None
        # All at once: it reads everything before it answers. If it dies meanwhile, that shows when it is asked.
        with contextlib.suppress(OSError), self._process.stdin as asked:
            asked.write(share.model_dump_json())

    def answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise InfrastructureError(f"a process that reads the run ended with status {self._process.wait()}")
        found = json.loads(line)
        if "failed" in found:
            kinds = {kind.__name__: kind for kind in ERRORS}
            raise kinds.get(found["kind"], RuntimeError)(found["failed"])
        return found["found"]

    def __enter__(self) -> "_Running":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
