"""Grading a run again, in full or only where checks have changed; both leave the same run."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core import source
from stressweb.log.store import FILE, Store
from stressweb.plugins.checks import Grade
from stressweb.runner.outcome.regrading import Regraded, regrade
from stressweb.runner.registry import Library, graders
from stressweb.runner.registry.graders import GRADING_CODE, REGRADED_HASHES, Graders, merged, recorded_grading_hashes
from tests.examples import examples
from tests.support.edited_runs import edit

pytestmark = pytest.mark.sample(10, "file")

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden" / FILE
LIBRARY = Library()
WRONG = Grade({"never": True}, {}, None)
SHOP, CALENDAR = "shop/first-hit", "calendar/day-view"


def graded(path: Path, *, changed_alone: bool = False) -> Regraded:
    with Store.open(path) as store:
        return regrade(store, LIBRARY, graded=True, only_outdated=changed_alone)


def grades(path: Path) -> dict[str, Grade | None]:
    with Store.read(path) as store:
        return {episode.cell.key: episode.grade for episode in store.episodes(store.altered())}


def meta(path: Path) -> dict[str, Any]:
    with Store.read(path) as store:
        return store.meta()


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The golden run after grading with the current checks, which it records."""
    path = tmp_path_factory.mktemp("known") / FILE
    path.write_bytes(GOLDEN.read_bytes())
    graded(path)
    return path


@pytest.fixture
def run(known: Path, tmp_path: Path) -> Path:
    """A copy of the graded golden run."""
    return Path(shutil.copy(known, tmp_path / FILE))


def made_by_other(path: Path, *parts: str, grades: tuple[str, ...] = ()) -> None:
    """Change the recorded parts of a run's grades, and give these episodes wrong grades."""
    with Store.open(path) as store:
        store.note(REGRADED_HASHES, {**recorded_grading_hashes(store.meta()), **dict.fromkeys(parts, "other")})
        store.regrade(dict.fromkeys(grades, WRONG))


def tampered(path: Path, key: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE episode SET grade = replace(grade, 'false', 'true') || ' ' WHERE cell = ?", (key,))


def page_lost(path: Path, key: str) -> None:
    """Replace the content of an episode's last page, without changing the episode's rows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        ((page,),) = connection.execute("SELECT state FROM step WHERE cell = ? ORDER BY n DESC LIMIT 1", (key,))
        ((other,),) = connection.execute("SELECT data FROM blob WHERE hash <> ? LIMIT 1", (page,))
        connection.execute("UPDATE blob SET data = ? WHERE hash = ?", (other, page))


def test_nothing_is_graded_twice_by_the_same(run: Path) -> None:
    whole = graded(run)
    partial = graded(run, changed_alone=True)
    assert (partial.kept_count, whole.kept_count) == (8, 0)
    assert partial.graded == whole.graded
    assert not partial.changed
    # A wrong grade that is recorded as that of the same checks stays, until everything is graded again.
    (wrong, *_) = grades(run)
    made_by_other(run, grades=(wrong,))
    assert graded(run, changed_alone=True).changed == {}
    assert [*graded(run).changed] == [wrong]


def test_a_run_without_recorded_checks_is_graded_in_full(tmp_path: Path) -> None:
    path = Path(shutil.copy(GOLDEN, tmp_path / FILE))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM meta WHERE name = ?", (GRADING_CODE,))
    assert graded(path, changed_alone=True).kept_count == 0
    # Now the run records them.
    assert graded(path, changed_alone=True).kept_count == 8


def test_a_changed_check_is_found_and_only_its_task_is_graded_again(run: Path) -> None:
    with Store.read(run) as store:
        shop = [cell.key for cell in store.finished() if cell.task == SHOP]
    before = grades(run)
    made_by_other(run, f"checks {SHOP}", grades=(shop[1],))
    regraded = graded(run, changed_alone=True)
    assert (regraded.kept_count, {key: was for key, (was, _) in regraded.changed.items()}) == (4, {shop[1]: WRONG})
    assert grades(run) == before
    assert graded(run, changed_alone=True).kept_count == 8


@pytest.mark.parametrize("part", [GRADING_CODE, f"task {SHOP}", f"goal {SHOP} 0", "site shop 0"])
def test_whatever_a_grade_depends_on_is_a_reason_to_grade_again(run: Path, part: str) -> None:
    made_by_other(run, part)
    assert graded(run, changed_alone=True).kept_count == (0 if part == GRADING_CODE else 4)


def test_tampering_is_found_even_if_grades_are_kept(run: Path) -> None:
    with Store.read(run) as store:
        first, second, *_ = [cell.key for cell in store.finished()]
    tampered(run, first)
    page_lost(run, second)
    partial, whole = graded(run, changed_alone=True), graded(run)
    assert {key: misfit.partition(" ")[0] for key, misfit in partial.altered.items() if key in (first, second)} == {
        first: "its",
        second: "content",
    }
    # Equal pages are stored once, so other episodes may have lost the page too.
    assert partial.altered == whole.altered
    assert partial.graded == whole.graded
    assert partial.kept_count == 8 - len(partial.altered)


def test_a_grade_left_out_does_not_count_as_current(run: Path) -> None:
    """If an episode's page returns after the others were graded by new checks, its old grade must be replaced."""
    with Store.read(run) as store:
        key = next(cell.key for cell in store.finished() if cell.task == SHOP)
    made_by_other(run, f"checks {SHOP}", grades=(key,))
    whole = run.read_bytes()
    page_lost(run, key)
    with closing(sqlite3.connect(run)) as connection:
        ((page,),) = connection.execute("SELECT state FROM step WHERE cell = ? ORDER BY n DESC LIMIT 1", (key,))
    assert key in graded(run).altered
    earlier_copy = run.with_name("other.db")
    earlier_copy.write_bytes(whole)
    with closing(sqlite3.connect(earlier_copy)) as connection:
        ((content,),) = connection.execute("SELECT data FROM blob WHERE hash = ?", (page,))
    with closing(sqlite3.connect(run, isolation_level=None)) as connection:
        connection.execute("UPDATE blob SET data = ? WHERE hash = ?", (content, page))
    assert grades(run)[key] == WRONG
    assert key in graded(run, changed_alone=True).changed


def test_regrading_an_unfinished_run_forgets_its_checks(run: Path) -> None:
    """Its remaining episodes may be graded by different checks."""
    with Store.open(run) as store:
        key = store.finished()[-1].key
    for table in ("episode", "step", "closing", "ledger"):
        edit(run, f"DELETE FROM {table} WHERE cell = ?", key)
    assert graded(run, changed_alone=True).kept_count == 7
    made_by_other(run, f"checks {SHOP}")
    graded(run)
    assert meta(run)[REGRADED_HASHES] == {}
    assert graded(run, changed_alone=True).kept_count == 0


def test_a_run_that_is_continued_by_other_checks_has_grades_of_several_kinds(run: Path) -> None:
    with Store.open(run) as store:
        regraded_hashes = store.meta()[REGRADED_HASHES]
        graders.note_mixed_grades(store, LIBRARY)
        assert store.meta()[REGRADED_HASHES] == regraded_hashes
    made_by_other(run, f"checks {SHOP}")
    with Store.open(run) as store:
        graders.note_mixed_grades(store, LIBRARY)
    # This holds even if the checks are again those of the first episodes.
    assert graded(run, changed_alone=True).kept_count == 0


def test_a_run_that_is_graded_as_it_was_is_not_written_to(run: Path) -> None:
    before = run.read_bytes()
    for changed_alone in (False, True):
        graded(run, changed_alone=changed_alone)
        assert run.read_bytes() == before


@examples(40)
@given(
    parts=st.sets(st.sampled_from([f"checks {SHOP}", f"goal {CALENDAR} 0", f"task {SHOP}", "site calendar 0"])),
    wrong=st.sets(st.integers(0, 7), max_size=3),
    edited=st.sets(st.integers(0, 7), max_size=2),
)
def test_both_ways_leave_the_same_run(
    known: Path, tmp_path_factory: pytest.TempPathFactory, parts: set[str], wrong: set[int], edited: set[int]
) -> None:
    folder = tmp_path_factory.mktemp("both")
    partial_run = Path(shutil.copy(known, folder / FILE))
    with Store.read(partial_run) as store:
        cells = store.finished()
    # A sealed grade can only be wrong if other checks made it.
    others = {SHOP for part in parts if "shop" in part} | {CALENDAR for part in parts if "calendar" in part}
    made_by_other(partial_run, *parts, grades=tuple(cells[index].key for index in wrong if cells[index].task in others))
    for index in edited:
        tampered(partial_run, cells[index].key)
    whole_run = Path(shutil.copy(partial_run, folder / "whole.db"))
    partial, whole = graded(partial_run, changed_alone=True), graded(whole_run)
    assert whole.kept_count == 0
    assert partial._replace(kept_count=0) == whole
    assert partial.kept_count == sum(cell.task not in others and cell.key not in partial.altered for cell in cells)
    assert grades(partial_run) == grades(whole_run)
    assert meta(partial_run) == meta(whole_run)
    shutil.rmtree(folder)


def test_grades_of_several_runs_are_of_one_kind_only_if_all_are() -> None:
    first = {"parts": {"checks a": "1", "site s 0": "2"}, GRADING_CODE: "c"}
    assert merged([first, {"parts": {"checks b": "3", "site s 0": "2"}, GRADING_CODE: "c"}]) == {
        "checks a": "1",
        "checks b": "3",
        "site s 0": "2",
        GRADING_CODE: "c",
    }
    for other in (
        {"parts": {"checks a": "9"}, GRADING_CODE: "c"},
        {"parts": {"checks a": "1"}, GRADING_CODE: "d"},
        {"parts": {"checks a": "1"}},
        {"parts": {"checks a": "1"}, GRADING_CODE: "c", REGRADED_HASHES: {}},
        {"parts": {}, GRADING_CODE: "c", REGRADED_HASHES: {"checks a": "9", GRADING_CODE: "c"}},
    ):
        assert merged([first, other]) == {}
        assert merged([other, first]) == {}


@pytest.mark.parametrize("strange", [None, [], "x", {GRADING_CODE: 1}, {GRADING_CODE: []}, {GRADING_CODE: {}}])
def test_invalid_recorded_checks_keep_no_grade(run: Path, strange: Any) -> None:
    with Store.open(run) as store:
        store.note(REGRADED_HASHES, strange)
        store.note(GRADING_CODE, strange)
        cells = store.finished()
        assert not any(map(Graders(LIBRARY).same(store.meta()), cells))


def imported(names: set[str]) -> Iterator[str]:
    """Yield all modules of stressweb that these modules import, directly or not."""
    left, seen = list(names), set[Path]()
    while left:
        path = ROOT / f"{left.pop().replace('.', '/')}.py"
        if path.is_file() and path not in seen:
            seen.add(path)
            yield path.relative_to(ROOT).as_posix()
            left += source.imports(path.read_text(encoding="utf-8"))


def test_all_code_that_grades_is_in_the_hash() -> None:
    """The hash covers checks and expectations; code that draws a goal is covered by the goal's hash."""
    used = set(imported({"stressweb.plugins.query", "stressweb.plugins.checks", "stressweb.plugins.expect"}))
    hashed = {path.relative_to(ROOT).as_posix() for path in graders.code_files()}
    left = {path for path in used - hashed if not path.startswith("stressweb/core/")}
    draws = ("given", "limits", "offers", "site", "steps")
    assert left == {f"stressweb/plugins/{name}.py" for name in draws}
