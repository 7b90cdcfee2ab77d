"""`make audit RESUME=1` skips exactly the tests that passed on the same files."""

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.resuming import NOTES_FILE
from tests.support.small_tree import pytest_in

pytestmark = pytest.mark.sample(3, "file")

ROOT = Path(__file__).resolve().parent.parent
TESTS = """
import os, pytest
@pytest.mark.parametrize("n", range(3))
def test_it(n):
    assert n != 1 or os.environ.get("MENDED")
def test_skipped():
    pytest.skip("not here")
@pytest.fixture
def late():
    yield
    assert os.environ.get("MENDED")
def test_bad_end(late): pass
def test_starts_a_program():
    assert "STRESSWEB_RESUME" not in os.environ
"""

type Pytest = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Pytest:
    """Run the tests of a small tree."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text("pytest_plugins = ['tests.resuming']\n")
    (tmp_path / "test_it.py").write_text(TESTS)

    return partial(pytest_in, tmp_path)


@pytest.mark.sample(1)
@pytest.mark.parametrize("workers", [(), ("-p", "xdist.plugin", "-n", "2")], ids=["alone", "workers"])
def test_tests_that_passed_are_skipped_and_the_rest_run(run: Pytest, workers: tuple[str, ...]) -> None:
    first = run(*workers)
    assert first.returncode == 1
    assert "1 failed, 4 passed, 1 skipped, 1 error" in first.stdout
    again = run(*workers, STRESSWEB_RESUME="1")
    assert "RESUME=1: 3 tests passed on these very files before and are left out" in again.stdout
    assert "1 failed, 1 passed, 1 skipped" in again.stdout
    assert "1 error" in again.stdout, "a test with a failed teardown has not passed"
    mended = run(*workers, STRESSWEB_RESUME="1", MENDED="1")
    assert "2 passed, 1 skipped" in mended.stdout
    assert mended.returncode == 0


def test_an_empty_rest_is_no_failure(run: Pytest) -> None:
    assert run("-k", "0").returncode == 0
    done = run("-k", "0", STRESSWEB_RESUME="1")
    assert done.returncode == 0
    assert "deselected" in done.stdout


def test_a_test_that_fails_later_is_run_again(run: Pytest) -> None:
    run(MENDED="1")
    run()
    assert "RESUME=1: 3 tests passed" in run(STRESSWEB_RESUME="1").stdout


@pytest.mark.sample(1)
@pytest.mark.parametrize("change", ["a file", "a new file", "SEED"])
def test_another_tree_is_tested_anew(run: Pytest, tmp_path: Path, change: str) -> None:
    run()
    environ = {"STRESSWEB_SEED": "7"} if change == "SEED" else {}
    if change == "a file":
        (tmp_path / "conftest.py").write_text("pytest_plugins = ['tests.resuming']\n# changed\n")
    if change == "a new file":
        (tmp_path / "more.txt").write_text("")
    done = run(STRESSWEB_RESUME="1", **environ)
    assert "RESUME=1: 0 tests passed" in done.stdout
    assert "4 passed" in done.stdout


def test_notes_are_deleted_if_the_tree_changes_during_the_run(run: Pytest, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it():\n    open('new.txt', 'w').close()\n")
    assert run().returncode == 0
    assert not (tmp_path / NOTES_FILE).exists()


def test_damaged_notes_are_ignored(run: Pytest, tmp_path: Path) -> None:
    run()
    (tmp_path / NOTES_FILE).write_bytes(b"\xff\xfe")
    assert "RESUME=1: 0 tests passed" in run(STRESSWEB_RESUME="1").stdout


def test_a_wrong_value_ends_with_status_2(run: Pytest) -> None:
    done = run(STRESSWEB_RESUME="x")
    assert done.returncode == 2
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert "RESUME is 'x'; it takes 1" in done.stderr
