"""What the grades of a run were made by: those that would be made in the same way now can be kept."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lxml import etree

from runner.registry.identity import GRADED, Identities, Parts
from runner.registry.library import Library
from stressweb.core.errors import UserError
from stressweb.core.source import reduced
from stressweb.log.recording import Cell
from stressweb.log.store import Store

NOTE = "graded"
"""Under what the database of a run has it since the run was graded again; empty: its grades are of several kinds."""
CODE = "grader"
"""The part that all cells share: the code that reads pages, asks checks, and compares databases."""
_ROOT = Path(__file__).resolve().parents[2]
_CODE = (
    "runner/registry/grading.py", "stressweb/cases/checking.py", "stressweb/cases/grading.py",
    "stressweb/cases/sight.py", "stressweb/core/entity.py", "stressweb/core/templates.py", "stressweb/core/verdict.py",
    "stressweb/html",
    "stressweb/log/open_tabs.py", "stressweb/plugins/changes.py", "stressweb/plugins/checks.py",
    "stressweb/plugins/comparison.py", "stressweb/plugins/contradictions.py", "stressweb/plugins/database.py",
    "stressweb/plugins/evidence_paths.py", "stressweb/plugins/expect.py", "stressweb/plugins/expected.py",
    "stressweb/plugins/expected_row.py", "stressweb/plugins/expected_values.py", "stressweb/plugins/query.py",
    "stressweb/plugins/task.py",
)  # fmt: skip


@cache
def code() -> str:
    """Return a hash of the code that grades, its comments left out, and of the version of the parser."""
    found = hashlib.blake2b(json.dumps([etree.LXML_VERSION, etree.LIBXML_VERSION]).encode(), digest_size=8)
    for path in sorted(path for part in _CODE for path in _files(_ROOT / part)):
        told = json.dumps(reduced(path.read_text(encoding="utf-8")))
        found.update(f"{path.relative_to(_ROOT).as_posix()}\n{told}\n".encode())
    return found.hexdigest()


def _files(path: Path) -> Iterable[Path]:
    return [path] if path.is_file() else path.glob("*.py")


class Graders:
    """What grades are made by now, and which of a run were made by the same."""

    def __init__(self, library: Library) -> None:
        """Take where goals, sites and checks come from."""
        # Modes have no influence on grading.
        identities = Identities(library, ())
        self._parts = cache(lambda task, world: _parts(identities, task, world))

    def now(self, cells: Iterable[Cell]) -> Parts:
        """Return the hash of each part that the grades of these cells would be made by now.

        A task that there is no more has none.
        """
        found = {CODE: code()}
        for task, world in dict.fromkeys((cell.task, cell.world) for cell in cells):
            found |= self._parts(task, world) or {}
        return found

    def same(self, meta: Mapping[str, Any]) -> Callable[[Cell], bool]:
        """Return what says of a cell of a run whether its grade was made by what would make it now.

        `meta` is that of the run's database. A part that it does not have is another one.
        """
        known = recorded(meta)
        if known.get(CODE) != code():
            return lambda cell: False

        def found(task: str, world: int) -> bool:
            parts = self._parts(task, world)
            return parts is not None and all(known.get(name) == value for name, value in parts.items())

        kept = cache(found)
        return lambda cell: kept(cell.task, cell.world)


def recorded(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the grades of a run were made by, as its database says; values are those of a stranger."""
    found = meta.get(NOTE)
    if isinstance(found, dict):
        return found
    # Of a run that was never graded again: the grades are those of its workers.
    parts = meta.get("parts")
    return {**(parts if isinstance(parts, dict) else {}), CODE: meta.get(CODE)}


def note_others(store: Store, library: Library) -> None:
    """Note that a run has grades of several kinds if those that come now are made otherwise than those it has."""
    if not all(map(Graders(library).same(store.meta()), store.cells())):
        store.note(NOTE, {})


def merged(metas: Sequence[Mapping[str, Any]]) -> Parts:
    """Return what the grades of several runs together were made by; nothing if they differ."""
    found: Parts = {}
    for known in map(recorded, metas):
        if any(found.setdefault(name, value) != value for name, value in known.items()) or CODE not in known:
            return {}
    return found


def _parts(identities: Identities, task: str, world: int) -> Parts | None:
    try:
        return identities.parts(Cell(agent="", task=task, condition="clean", world=world), GRADED)
    # Grading says what is missing.
    except UserError:
        return None
