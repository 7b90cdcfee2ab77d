"""Recordings of every earlier engine can be read, and graded while their sites are unchanged.

tests/runner/commands/test_kept_engines.py tests that no other engine resumes them.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.golden import FIGURES, FOLDER, MARKED, figures
from stressweb.html.canonical import digest
from stressweb.html.marks import ElementKind, Marks
from stressweb.log.store import FILE, Store
from stressweb.runner.outcome.regrading import Regraded, regrade
from stressweb.runner.registry import Library

ENGINES = sorted({path.name for path in FOLDER.glob("engine-*")} - {MARKED})

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


def test_the_kept_run_of_the_marked_engine_covers_every_kind_of_mark(run: Run) -> None:
    """Both sites, agents and outcomes, and all kinds of marked nodes, which the canonical form ignores."""
    by_key = recorded(MARKED)
    assert {tuple(key.split("|")[:2]) for key in by_key} == {
        (task, agent) for task in ("shop/first-hit", "calendar/day-view") for agent in ("naive", "resilient")
    }
    assert {figures_of_key["success"] for figures_of_key in by_key.values()} == {True, False}
    kinds: set[ElementKind | None] = set()
    forms = dict[str, str]()
    with Store.read(run(MARKED)) as store:
        for cell in store.cells():
            first = store.load(cell).steps[0].page
            page_marks = Marks(cell.mark_key).on_page(_classes(first.html))
            kinds |= {page_marks.kind(class_list) for class_list in _classes(first.html)}
            forms.setdefault(first.url, digest(first.html, cell.mark_key))
            # The first page has the same form in every condition.
            assert digest(first.html, cell.mark_key) == forms[first.url], cell.key
            if cell.condition.startswith("noise"):
                assert digest(first.html, b"another key" * 3) != forms[first.url]
    assert kinds >= {*ElementKind}


def _classes(html: str) -> list[str]:
    return [part.partition('"')[0] for part in html.split(' class="')[1:]]
