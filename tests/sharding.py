"""A part of the tests for each of several machines: `make audit SHARD=2/8` runs the second of eight.

Which part a test is in follows from its id alone, so that every test is in exactly one of them, whoever runs it. The
tests of a file that share a fixture of the file stay together.
"""

import os
import re

import pytest

from stressweb.core import draws

SHARD = pytest.StashKey[tuple[int, int]]()


def read_shard(given: str) -> tuple[int, int]:
    """Return the number of the part and of how many; raises ValueError with the complaint."""
    found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", given, re.ASCII)
    number, parts = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= parts:
        raise ValueError(f"SHARD is {given[:40]!r}; it takes a part and the number of parts, 1/8 to 8/8 for example")
    return number, parts


def shard_of(unit: str, parts: int) -> int:
    """Return which part, from 1, the tests of a unit are in."""
    return draws.pick(range(1, parts + 1), "shard", unit)


def unit_of(item: pytest.Item) -> str:
    """Return what is never divided: the file if the test has a fixture that the file's tests share, else the test."""
    fixtures = getattr(item, "_fixtureinfo", None)
    found = {} if fixtures is None else fixtures.name2fixturedefs
    # A fixture of the whole session is made anew on each machine anyway.
    shared = any(one[-1].scope in ("module", "package", "class") for one in found.values() if one)
    return item.nodeid.partition("::")[0] if shared else item.nodeid


def pytest_configure(config: pytest.Config) -> None:
    """Read SHARD, and keep it from the programs that the tests start."""
    worker = getattr(config, "workerinput", None)
    given = worker["shard"] if worker is not None else os.environ.pop("STRESSWEB_SHARD", "").strip()
    if given:
        try:
            config.stash[SHARD] = read_shard(given)
        except ValueError as error:
            pytest.exit(str(error), returncode=2)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: pytest.Item) -> None:
    """Hand the part on to a worker of pytest-xdist."""
    number, parts = node.config.stash.get(SHARD, (1, 1))
    node.workerinput["shard"] = f"{number}/{parts}"  # type: ignore[attr-defined]


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which part this is."""
    number, parts = config.stash.get(SHARD, (1, 1))
    return None if parts == 1 else f"only the tests of part {number} of {parts}, SHARD={number}/{parts}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of the other parts out."""
    number, parts = config.stash.get(SHARD, (1, 1))
    if parts > 1:
        others = [item for item in items if shard_of(unit_of(item), parts) != number]
        left = {id(item) for item in others}
        items[:] = [item for item in items if id(item) not in left]
        config.hook.pytest_deselected(items=others)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A part may be empty."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and SHARD in session.config.stash:
        session.exitstatus = pytest.ExitCode.OK
