"""Hashes of the code and tasks that grades depend on: grades with unchanged hashes need no regrading."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lxml import etree

from stressweb.core.errors import UserError
from stressweb.core.import_path import PACKAGE
from stressweb.core.source import reduced
from stressweb.log.recording import Cell
from stressweb.log.store import Store
from stressweb.runner.registry.identity import GRADED, Identities, Parts
from stressweb.runner.registry.library import Library

REGRADED_HASHES = "graded"
"""Metadata key of the hashes with which a run was regraded; empty if its grades are of several gradings."""
GRADING_CODE = "grader"
"""Name of the hash that all cells share: of the code that reads pages, runs checks and compares databases."""
_GRADING_FILES = (
    "runner/registry/grading.py", "cases/checking.py", "cases/grading.py", "cases/sight.py", "core/entity.py",
    "core/templates.py", "core/verdict.py", "html", "log/open_tabs.py", "plugins/changes.py", "plugins/checks.py",
    "plugins/comparison.py", "plugins/contradictions.py", "plugins/database.py", "plugins/evidence_paths.py",
    "plugins/expect.py", "plugins/expected.py", "plugins/expected_row.py", "plugins/expected_values.py",
    "plugins/query.py", "plugins/task.py",
)  # fmt: skip


@cache
def code() -> str:
    """Return a hash of the grading code, without comments, and of the HTML parser's version."""
    hasher = hashlib.blake2b(json.dumps([etree.LXML_VERSION, etree.LIBXML_VERSION]).encode(), digest_size=8)
    for path in sorted(code_files()):
        content = json.dumps(reduced(path.read_text(encoding="utf-8")))
        hasher.update(f"{path.relative_to(PACKAGE).as_posix()}\n{content}\n".encode())
    return hasher.hexdigest()


def code_files() -> Iterator[Path]:
    """Yield the files whose code makes a grade."""
    for path in (PACKAGE / part for part in _GRADING_FILES):
        yield from [path] if path.is_file() else path.glob("*.py")


class Graders:
    """Computes the current hashes of cells, and finds grades that were made with the same hashes."""

    def __init__(self, library: Library) -> None:
        """Take the library of goals, sites and checks."""
        # Modes do not affect grading.
        identities = Identities(library, ())
        self._parts = cache(lambda task, world: _parts(identities, task, world))

    def now(self, cells: Iterable[Cell]) -> Parts:
        """Return the current hash of each part on which the grades of these cells depend.

        A task that no longer exists has none.
        """
        hashes = {GRADING_CODE: code()}
        for task, world in dict.fromkeys((cell.task, cell.world) for cell in cells):
            hashes |= self._parts(task, world) or {}
        return hashes

    def same(self, meta: Mapping[str, Any]) -> Callable[[Cell], bool]:
        """Return a function that returns whether a cell's grade was made with the current hashes.

        `meta` is the run's metadata. A part that it does not record counts as changed.
        """
        known = recorded_grading_hashes(meta)
        if known.get(GRADING_CODE) != code():
            return lambda cell: False

        def is_same(task: str, world: int) -> bool:
            parts = self._parts(task, world)
            return parts is not None and all(known.get(name) == part_hash for name, part_hash in parts.items())

        same_grader = cache(is_same)
        return lambda cell: same_grader(cell.task, cell.world)


def recorded_grading_hashes(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the hashes with which a run was graded; an untrusted recording can contain any value."""
    regraded_hashes = meta.get(REGRADED_HASHES)
    if isinstance(regraded_hashes, dict):
        return regraded_hashes
    # A run that was never regraded has the grades of its workers.
    worker_hashes = meta.get("parts")
    return {**(worker_hashes if isinstance(worker_hashes, dict) else {}), GRADING_CODE: meta.get(GRADING_CODE)}


def note_mixed_grades(store: Store, library: Library) -> None:
    """Record that a run has grades of several gradings, unless new grades are made with the same hashes."""
    if not all(map(Graders(library).same(store.meta()), store.cells())):
        store.note(REGRADED_HASHES, {})


def merged(metas: Sequence[Mapping[str, Any]]) -> Parts:
    """Return the hashes with which several runs were graded; empty if they differ."""
    merged_parts: Parts = {}
    for known in map(recorded_grading_hashes, metas):
        if (
            any(merged_parts.setdefault(name, part_hash) != part_hash for name, part_hash in known.items())
            or GRADING_CODE not in known
        ):
            return {}
    return merged_parts


def _parts(identities: Identities, task: str, world: int) -> Parts | None:
    try:
        return identities.parts(Cell(agent="", task=task, condition="clean", world=world), GRADED)
    # Grading itself reports missing tasks.
    except UserError:
        return None
