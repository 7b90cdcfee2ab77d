"""Samples of long tests: `make test` runs some of their cases, and `make audit` all.

Which cases are drawn follows from their ids and SEED, whoever draws them.
"""

import os
from collections import defaultdict

import pytest

from stressweb.core import draws


def sample_seed() -> int:
    """Return what keys the samples: `make test SEED=7` draws other ones."""
    given = os.environ.get("STRESSWEB_SEED") or "0"
    if not given.isdecimal():
        pytest.exit(f"SEED is {given!r}; it takes a whole number from 0", returncode=2)
    return int(given)


def pytest_report_header() -> str:
    """Say which sample this is."""
    return f"samples are keyed by SEED={sample_seed()}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked `sample(n)`, draw n cases for `make test`; the others are for `make audit` alone.

    `sample(n, "name")` draws from the cases of all tests of its file that bear the same name.
    """
    groups: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        # Its examples are a sample too: the audit draws more of them.
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.sampled)
        mark = item.get_closest_marker("sample")
        if mark and not item.get_closest_marker("audit"):
            test = item.nodeid.partition("[")[0]
            group = mark.args[1] if len(mark.args) > 1 else test
            groups[test.partition("::")[0], group].append(item)
            item.add_marker(pytest.mark.sampled)
    for cases in groups.values():
        wanted = {mark.args[0] for item in cases if (mark := item.get_closest_marker("sample"))}
        assert len(wanted) == 1, f"{cases[0].nodeid}: the sizes of one sample differ: {wanted}"
        cases.sort(key=lambda item: draws.unit("sample", sample_seed(), item.nodeid))
        for item in cases[wanted.pop() :]:
            item.add_marker(pytest.mark.audit)
