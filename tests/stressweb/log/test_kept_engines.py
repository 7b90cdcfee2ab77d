"""Recordings of every earlier engine can be read, and graded while their sites are unchanged.

tests/runner/commands/test_kept_engines.py tests that no other engine resumes them.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.golden import FIGURES, FOLDER, figures
from stressweb.log.store import FILE, Store
from stressweb.runner.outcome.regrading import Regraded, regrade
from stressweb.runner.registry import Library

ENGINES = sorted(path.name for path in FOLDER.glob("engine-*"))

type Run = Callable[[str], Path]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a copy of the stored run of an engine."""

    def copied(name: str) -> Path:
        return Path(shutil.copytree(FOLDER / name, tmp_path / "runs" / name)) / FILE

    return copied


def recorded(name: str) -> dict[str, dict[str, object]]:
    return dict(json.loads((FOLDER / name / FIGURES).read_text("utf-8")))


@pytest.mark.parametrize("name", ENGINES)
def test_a_kept_run_is_graded_again_to_the_same_figures(run: Run, name: str) -> None:
    path = run(name)
    assert figures(path) == recorded(name)
    with Store.open(path) as store:
        assert regrade(store, Library()) == Regraded({}, {}, [])
        for cell in store.cells():
            record = store.load(cell)
            record.grade = None
            store.save(record)
        assert set(regrade(store, Library()).changed) == {cell.key for cell in store.cells()}
    assert figures(path) == recorded(name)
