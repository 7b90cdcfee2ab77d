"""An interrupted audit goes on: `make audit RESUME=1` leaves out what has passed on these very files.

Every run of the tests notes what passed in `.cache/passed`, under a hash of all that the result depends on: the files of
the tree, the interpreter, the browser that is named, and SEED. Whatever of it changes, everything is run again.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTED = Path(".cache") / "passed"
_MADE = frozenset(("runs", "build", "dist", "node_modules", "__pycache__"))
SKIPPED = pytest.StashKey[frozenset[str]]()


def hash_of(root: Path) -> str:
    """Return a hash of all that the outcome of a test depends on."""
    state = hashlib.sha256(repr((sys.version, os.environ.get("STRESSWEB_BROWSER"))).encode())
    state.update((os.environ.get("STRESSWEB_SEED") or "0").encode())
    for path in sorted(_files(root)):
        data = path.read_bytes()
        state.update(f"{path.relative_to(root)}\0{len(data)}\0".encode())
        state.update(data)
    return state.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name in _MADE or path.is_symlink():
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.is_file():
            yield path


def passed(noted: Path, tree: str) -> frozenset[str]:
    """Return the ids of the tests whose last outcome on this tree was to pass."""
    first, *lines = _lines(noted) or [""]
    last = {line[2:]: line[:1] for line in lines} if first == tree else {}
    return frozenset(test for test, outcome in last.items() if outcome == "+")


def _lines(noted: Path) -> list[str]:
    try:
        return noted.read_text("utf-8").splitlines()
    except (FileNotFoundError, UnicodeDecodeError):
        return []


class Notes:
    """Notes the outcome of every test as it is known."""

    def __init__(self, noted: Path, tree: str) -> None:
        """Go on with what is noted of this tree; what is noted of another one goes."""
        self._noted, self._tree, self._bad = noted, tree, set[str]()
        noted.parent.mkdir(parents=True, exist_ok=True)
        if _lines(noted)[:1] != [tree]:
            noted.write_text(f"{tree}\n", "utf-8")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take one phase of a test: it has passed if all its phases have."""
        if not report.passed:
            self._bad.add(report.nodeid)
        if report.when == "teardown":
            sign = "-" if report.nodeid in self._bad else "+"
            with self._noted.open("a", encoding="utf-8") as file:
                file.write(f"{sign} {report.nodeid}\n")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Delete the notes if a file changed during the run: it is unknown which version the tests ran on."""
        if hash_of(session.config.rootpath) != self._tree:
            self._noted.unlink(missing_ok=True)


def pytest_configure(config: pytest.Config) -> None:
    """Read RESUME, and keep it from the programs that the tests start: for `stressweb run` it means a run."""
    worker = getattr(config, "workerinput", None)
    if worker is not None:
        # A worker that is started late must leave out what the first ones left out.
        config.stash[SKIPPED] = frozenset(worker["passed"])
        return
    given = os.environ.pop("STRESSWEB_RESUME", "").strip()
    if given not in ("", "0", "1"):
        pytest.exit(f"RESUME is {given[:40]!r}; it takes 1", returncode=2)
    if config.option.collectonly and given != "1":
        return
    tree, noted = hash_of(config.rootpath), config.rootpath / NOTED
    if given == "1":
        config.stash[SKIPPED] = passed(noted, tree)
    if not config.option.collectonly:
        config.pluginmanager.register(Notes(noted, tree))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: pytest.Item) -> None:
    """Hand on to a worker of pytest-xdist what is left out."""
    node.workerinput["passed"] = sorted(node.config.stash.get(SKIPPED, ()))  # type: ignore[attr-defined]


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say how many tests have passed before."""
    if SKIPPED not in config.stash:
        return None
    return f"RESUME=1: {len(config.stash[SKIPPED])} tests passed on these very files before and are left out"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has passed before."""
    before = config.stash.get(SKIPPED, frozenset())
    done = [item for item in items if item.nodeid in before]
    if done:
        items[:] = [item for item in items if item.nodeid not in before]
        config.hook.pytest_deselected(items=done)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Nothing may be left to do."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.stash.get(SKIPPED, None):
        session.exitstatus = pytest.ExitCode.OK
