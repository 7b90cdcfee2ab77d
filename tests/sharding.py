"""Divides the tests between machines: `make audit SHARD=2/8` runs the second of eight parts.

The part of a test depends only on its id, so every test is in exactly one part on all machines. The
tests of a file that share a fixture stay together.
"""

import os
import re

import pytest

from stressweb.core import draws

SHARD = pytest.StashKey[tuple[int, int]]()


def read_shard(text: str) -> tuple[int, int]:
    """Return the number of the part and the number of parts; raises ValueError with a one-line message."""
    match = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text, re.ASCII)
    number, parts = map(int, match.groups()) if match else (0, 0)
    if not 1 <= number <= parts:
        raise ValueError(f"SHARD is {text[:40]!r}; it takes a part and the number of parts, 1/8 to 8/8 for example")
    return number, parts


def shard_of(unit: str, parts: int) -> int:
    """Return the part, from 1, of the tests of a unit."""
    return draws.pick(range(1, parts + 1), "shard", unit)


def unit_of(item: pytest.Item) -> str:
    """Return the unit that is never divided: the file if its tests share a fixture of this test, else the test."""
    fixtures = getattr(item, "_fixtureinfo", None)
    definitions = {} if fixtures is None else fixtures.name2fixturedefs
    # A session fixture is set up on each machine anyway.
    shared = any(fixture[-1].scope in ("module", "package", "class") for fixture in definitions.values() if fixture)
    return item.nodeid.partition("::")[0] if shared else item.nodeid


def pytest_configure(config: pytest.Config) -> None:
    """Read and unset SHARD, so programs that the tests start do not see it."""
    worker = getattr(config, "workerinput", None)
    text = worker["shard"] if worker is not None else os.environ.pop("STRESSWEB_SHARD", "").strip()
    if text:
        try:
            config.stash[SHARD] = read_shard(text)
        except ValueError as error:
            pytest.exit(str(error), returncode=2)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: pytest.Item) -> None:
    """Pass the part on to a worker of pytest-xdist."""
    number, parts = node.config.stash.get(SHARD, (1, 1))
    node.workerinput["shard"] = f"{number}/{parts}"  # type: ignore[attr-defined]


def pytest_report_header(config: pytest.Config) -> str | None:
    """Report the part."""
    number, parts = config.stash.get(SHARD, (1, 1))
    return None if parts == 1 else f"only the tests of part {number} of {parts}, SHARD={number}/{parts}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of the other parts."""
    number, parts = config.stash.get(SHARD, (1, 1))
    if parts > 1:
        other_tests = [item for item in items if shard_of(unit_of(item), parts) != number]
        deselected = {id(item) for item in other_tests}
        items[:] = [item for item in items if id(item) not in deselected]
        config.hook.pytest_deselected(items=other_tests)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Succeed also if the part is empty."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and SHARD in session.config.stash:
        session.exitstatus = pytest.ExitCode.OK
