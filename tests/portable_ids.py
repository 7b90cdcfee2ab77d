"""Refuses tests whose id holds a path of this machine.

Samples and shards are drawn by ids: with such an id, two machines may both leave the test to the other.
"""

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sampling import cases_of

ROOT = Path(__file__).resolve().parent.parent
LOCAL_PATHS = frozenset(
    {str(ROOT), sys.prefix, sys.executable, os.path.realpath(sys.executable), sysconfig.get_path("stdlib")}
)
"""Where the tree, the interpreter and its libraries lie."""


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Fail the collection of a file, before `tests.sampling` leaves out some of its cases."""
    yield
    for case in cases_of(metafunc):
        if path := next((path for path in LOCAL_PATHS if path in case.id), None):
            pytest.fail(f"{metafunc.definition.nodeid}[{case.id}]: give the case an id without {path}", pytrace=False)
