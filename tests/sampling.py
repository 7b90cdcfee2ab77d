"""Samples of long tests: `make test` runs some of their cases, `make audit` all.

The sample depends only on the tests' ids and SEED.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from stressweb.core import draws

WITHOUT_AUDIT = "not audit"
"""The `-m` of `make test`: the cases outside the samples are never run."""


def sample_seed() -> int:
    """Return the seed of the samples: `make test SEED=7` draws other ones."""
    seed = os.environ.get("STRESSWEB_SEED") or "0"
    if not seed.isdecimal():
        pytest.exit(f"SEED is {seed!r}; it takes a whole number from 0", returncode=2)
    return int(seed)


def draw(test_id: str) -> float:
    """Return the draw of a test: the tests with the smallest draws are the sample."""
    return draws.unit("sample", sample_seed(), test_id)


def pytest_report_header() -> str:
    """Report the seed of the sample."""
    return f"samples are keyed by SEED={sample_seed()}"


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Leave out the cases that no sample can hold, because pytest takes seconds to build and deselect 30,000 tests."""
    yield
    # Who names a case by its id wants this case, in the sample or not.
    if metafunc.config.option.markexpr == WITHOUT_AUDIT and not any("[" in path for path in metafunc.config.args):
        _leave_out_cases(metafunc)


def cases_of(metafunc: pytest.Metafunc) -> list[Any]:
    """Return the cases of a parametrised test, which may be changed in place; each has an `id` and `marks`."""
    # Pytest has no public name for them.
    cases: list[Any] = vars(metafunc)["_calls"]
    return cases


def _leave_out_cases(metafunc: pytest.Metafunc) -> None:
    test, cases = metafunc.definition, cases_of(metafunc)
    audited = test.get_closest_marker("audit") is not None
    candidates = [case for case in cases if not audited and all(mark.name != "audit" for mark in case.marks)]
    mark = test.get_closest_marker("sample")
    if mark:
        # A sample of several tests holds at most these of one test.
        candidates = sorted(candidates, key=lambda case: draw(f"{test.nodeid}[{case.id}]"))[: mark.args[0]]
    # Of a test without cases pytest would make a test without arguments, so one stays to be deselected.
    kept = {case.id for case in candidates or cases[:1]}
    cases[:] = [case for case in cases if case.id in kept]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Draw n cases of each test marked `sample(n)` for `make test`; the others run only in `make audit`.

    `sample(n, "name")` draws from all cases in the file whose mark has this name.
    """
    groups: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        # Hypothesis draws more examples in the audit, so `make test` runs a sample of these too.
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.sampled)
        mark = item.get_closest_marker("sample")
        if mark and not item.get_closest_marker("audit"):
            test = item.nodeid.partition("[")[0]
            group = mark.args[1] if len(mark.args) > 1 else test
            groups[test.partition("::")[0], group].append(item)
            item.add_marker(pytest.mark.sampled)
    for cases in groups.values():
        sizes = {mark.args[0] for item in cases if (mark := item.get_closest_marker("sample"))}
        assert len(sizes) == 1, f"{cases[0].nodeid}: different sizes for one sample: {sizes}"
        cases.sort(key=lambda item: draw(item.nodeid))
        for item in cases[sizes.pop() :]:
            item.add_marker(pytest.mark.audit)
