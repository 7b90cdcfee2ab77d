"""Resumes an interrupted audit: `make audit RESUME=1` skips the tests that passed on exactly these files.

Every test run records what passed in `.cache/passed`, under a hash of all that the outcome depends on: the files of
the tree, the interpreter, STRESSWEB_BROWSER, and SEED. If any of these changes, everything runs again.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTES_FILE = Path(".cache") / "passed"
_GENERATED = frozenset(("runs", "build", "dist", "node_modules", "__pycache__"))
SKIPPED = pytest.StashKey[frozenset[str]]()


def hash_of(root: Path) -> str:
    """Return a hash of everything that the outcome of a test depends on."""
    digest = hashlib.sha256(repr((sys.version, os.environ.get("STRESSWEB_BROWSER"))).encode())
    digest.update((os.environ.get("STRESSWEB_SEED") or "0").encode())
    for path in sorted(_files(root)):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name in _GENERATED or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


def passed(notes: Path, tree_hash: str) -> frozenset[str]:
    """Return the ids of the tests that passed when they last ran on this tree."""
    first, *lines = _lines(notes) or [""]
    last = {line[2:]: line[:1] for line in lines} if first == tree_hash else {}
    return frozenset(test for test, outcome in last.items() if outcome == "+")


def _lines(notes: Path) -> list[str]:
    try:
        return notes.read_text("utf-8").splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        return []


class Notes:
    """Pytest plug-in that records the outcome of every test at once."""

    def __init__(self, notes: Path, tree_hash: str) -> None:
        """Continue the notes of this tree; notes of another tree are deleted."""
        self._notes, self._tree_hash, self._failed = notes, tree_hash, set[str]()
        notes.parent.mkdir(parents=True, exist_ok=True)
        if _lines(notes)[:1] != [tree_hash]:
            notes.write_text(f"{tree_hash}\n", "utf-8")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the outcome at the end of a test, which passed if all its phases passed."""
        if not report.passed:
            self._failed.add(report.nodeid)
        if report.when == "teardown":
            sign = "-" if report.nodeid in self._failed else "+"
            with self._notes.open("a", encoding="utf-8") as file:
                file.write(f"{sign} {report.nodeid}\n")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Delete the notes if a file changed during the run: the tested version is then unknown."""
        if hash_of(session.config.rootpath) != self._tree_hash:
            self._notes.unlink(missing_ok=True)


def pytest_configure(config: pytest.Config) -> None:
    """Read and unset RESUME: programs that the tests start would take it for `stressweb run --resume`."""
    worker = getattr(config, "workerinput", None)
    if worker is not None:
        # A worker that starts late must skip the same tests as the first ones.
        config.stash[SKIPPED] = frozenset(worker["passed"])
        return
    resume = os.environ.pop("STRESSWEB_RESUME", "").strip()
    if resume not in ("", "0", "1"):
        pytest.exit(f"RESUME is {resume[:40]!r}; it takes 1", returncode=2)
    if config.option.collectonly and resume != "1":
        return
    tree_hash, notes = hash_of(config.rootpath), config.rootpath / NOTES_FILE
    if resume == "1":
        config.stash[SKIPPED] = passed(notes, tree_hash)
    if not config.option.collectonly:
        config.pluginmanager.register(Notes(notes, tree_hash))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: pytest.Item) -> None:
    """Pass the ids of the skipped tests to a worker of pytest-xdist."""
    node.workerinput["passed"] = sorted(node.config.stash.get(SKIPPED, ()))  # type: ignore[attr-defined]


def pytest_report_header(config: pytest.Config) -> str | None:
    """Report the number of tests that passed before."""
    if SKIPPED not in config.stash:
        return None
    return f"RESUME=1: {len(config.stash[SKIPPED])} tests passed on these very files before and are left out"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that passed before."""
    passed_before = config.stash.get(SKIPPED, frozenset())
    left_out = [item for item in items if item.nodeid in passed_before]
    if left_out:
        items[:] = [item for item in items if item.nodeid not in passed_before]
        config.hook.pytest_deselected(items=left_out)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Succeed also if every test passed before."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.stash.get(SKIPPED, None):
        session.exitstatus = pytest.ExitCode.OK
