"""A stored run is graded again to the same figures: the readers of recordings have not changed.

`python -P -m scripts.golden` records the run again after an intended change.
"""

import json
import shutil
from pathlib import Path

import pytest

from scripts.golden import FIGURES, FOLDER, figures
from stressweb.analysis.measures import measure
from stressweb.log.store import FILE, Store
from stressweb.runner.outcome.regrading import Regraded, regrade
from stressweb.runner.outcome.results import graded
from stressweb.runner.registry import Library


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    return Path(shutil.copy(FOLDER / FILE, tmp_path / FILE))


def test_the_golden_run_has_its_figures(golden: Path) -> None:
    assert figures(golden) == json.loads((FOLDER / FIGURES).read_text("utf-8"))
    assert golden.stat().st_size < 450_000


def test_the_golden_run_is_graded_again_to_the_same_grades(golden: Path) -> None:
    with Store.open(golden) as store:
        assert regrade(store, Library()) == Regraded({}, {}, [])


def test_a_golden_run_without_grades_gets_its_grades_back(golden: Path) -> None:
    with Store.open(golden) as store:
        for cell in store.cells():
            record = store.load(cell)
            record.grade = None
            store.save(record)
        assert set(regrade(store, Library()).changed) == {cell.key for cell in store.cells()}
    assert figures(golden) == json.loads((FOLDER / FIGURES).read_text("utf-8"))


def test_the_measures_of_the_golden_run(golden: Path) -> None:
    with Store.open(golden) as store:
        rows = {(row.agent, row.condition): (row.successes, row.episodes) for row in measure(graded(store))}
    assert rows == {
        ("naive", "clean"): (2, 2),
        ("naive", "remap@3"): (0, 2),
        ("resilient", "clean"): (2, 2),
        ("resilient", "remap@3"): (2, 2),
    }
