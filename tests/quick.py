"""Quick tests: `make quick` runs whole rooms without a browser and without a process of ours, in less than a minute.

The rooms are those of `ROOMS`. A test that needs a browser, a proxy or a process is left out: it has the fixture of
one, or the mark `starts`. A quick test that starts something all the same fails at once, also in `make test`.
"""

import sys
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROOMS = (
    "laws/test_imports_of_tests.py", "laws/test_layers.py", "perturbations/addons", "runner/plan", "stressweb/core",
    "stressweb/log", "stressweb/perception", "stressweb/plugins",
)  # fmt: skip
"""Folders of tests, with those below them, and single files."""
STARTING = {"browser", "world"}
"""Fixtures that start a browser or a proxy."""
EVENTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec"}
"""Audit events of Python that announce a new process."""
_running: list[pytest.Item] = []
"""The quick test that runs, if any."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer `--quick`."""
    parser.addoption("--quick", action="store_true", help="only tests that start no browser and no process")


def pytest_sessionstart() -> None:
    """Watch what starts; a hook can never be removed."""
    sys.addaudithook(refuse)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Refuse processes while a quick test and its fixtures run."""
    _running[:] = [item] if is_quick(item.path) and not starts(item) else []
    try:
        return (yield)
    finally:
        _running.clear()


def refuse(event: str, arguments: Sequence[object]) -> None:
    """Fail the test if it is quick and a process is about to start."""
    if event in EVENTS and _running:
        program = arguments[0] if arguments else event
        pytest.fail(f"a quick test starts nothing, not even {program}: mark it `starts`, or leave its room out")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the other rooms before they are imported."""
    return True if config.getoption("quick") and not is_quick(collection_path) else None


def is_quick(path: Path) -> bool:
    """Return whether a file or folder of the tests is in a quick room, or around one."""
    if not path.is_relative_to(TESTS):
        return True
    place = path.relative_to(TESTS)
    rooms = [Path(room) for room in ROOMS]
    return any(place.is_relative_to(room) or (path.is_dir() and room.is_relative_to(place)) for room in rooms)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that start something."""
    if not config.getoption("quick"):
        return
    config.hook.pytest_deselected(items=[item for item in items if starts(item)])
    items[:] = [item for item in items if not starts(item)]


def starts(item: pytest.Item) -> bool:
    """Return whether a test starts a browser, a proxy or a process."""
    fixtures = set(getattr(item, "fixturenames", ()))
    return item.get_closest_marker("starts") is not None or not STARTING.isdisjoint(fixtures)
