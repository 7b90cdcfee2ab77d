"""Samples: `make test` runs n cases of a long test, the same for a seed; the audit runs all."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.support.small_tree import pytest_in

TREE = {
    "conftest.py": "pytest_plugins = ['tests.sampling']\n",
    "pytest.ini": "[pytest]\nmarkers =\n  sample\n  sampled\n  audit\n",
    "test_cases.py": (
        "import pytest\n@pytest.mark.sample(3)\n@pytest.mark.parametrize('n', range(40))\ndef test_one(n): pass\n"
        "def test_short(): pass\n"
    ),
    "test_named.py": (
        "import pytest\n@pytest.mark.sample(2, 'both')\n@pytest.mark.parametrize('n', range(20))\ndef test_two(n): pass\n"
        "@pytest.mark.sample(2, 'both')\n@pytest.mark.parametrize('n', range(20))\ndef test_three(n): pass\n"
    ),
    "test_whole.py": (
        "import pytest\npytestmark = pytest.mark.sample(4, 'file')\n"
        + "".join(f"def test_{n}(): pass\n" for n in range(20))
        + "@pytest.mark.sample(1)\n@pytest.mark.parametrize('n', range(5))\ndef test_own(n): pass\n"
        + "@pytest.mark.audit\ndef test_never_drawn(): pass\n"
    ),
}

type Collect = Callable[..., list[str]]


@pytest.fixture
def collect(tmp_path: Path) -> Collect:
    """Return the ids of the tests that run in a small tree."""
    for name, text in TREE.items():
        (tmp_path / name).write_text(text)

    def ids(mark: str, **environ: str) -> list[str]:
        listing = partial(pytest_in, tmp_path, "-q", "--collect-only", "-m", mark)(**environ).stdout
        return sorted(line for line in listing.splitlines() if "::" in line)

    return ids


def test_n_cases_are_drawn_per_test_name_or_file(collect: Collect) -> None:
    drawn = collect("not audit")
    assert [sum(part in test for test in drawn) for part in ("test_one", "test_short")] == [3, 1]
    assert sum("test_named" in test for test in drawn) == 2
    assert [sum(part in test for test in drawn) for part in ("test_whole", "test_own")] == [5, 1]
    assert collect("not audit") == drawn


def test_the_audit_has_every_case_of_sampled_tests(collect: Collect) -> None:
    everything = collect("")
    assert len(everything) == 40 + 1 + 40 + 20 + 5 + 1
    assert collect("audit or sampled") == [test for test in everything if "test_short" not in test]


def test_cases_outside_the_samples_are_not_even_built(collect: Collect, tmp_path: Path) -> None:
    drawn = collect("not audit")
    summary = pytest_in(tmp_path, "-q", "--collect-only", "-m", "not audit").stdout.splitlines()[-1]
    # Of `test_named.py` both tests may have two cases in the sample; tests without parameters are always built.
    assert summary.startswith(f"{len(drawn)}/{3 + 1 + 2 + 2 + 20 + 1 + 1} tests collected")


def test_a_case_that_is_named_by_its_id_runs_in_the_sample_or_not(collect: Collect, tmp_path: Path) -> None:
    everything = [test for test in collect("") if "test_one" in test]
    undrawn = next(test for test in everything if test not in collect("not audit"))
    assert pytest_in(tmp_path, "-q", "-m", "not audit", undrawn).stdout.splitlines()[-1].startswith("1 passed")


def test_a_test_whose_cases_are_all_in_the_audit_runs_only_there(collect: Collect, tmp_path: Path) -> None:
    (tmp_path / "test_audited.py").write_text(
        "import pytest\n@pytest.mark.parametrize('n', [pytest.param(n, marks=pytest.mark.audit) for n in range(9)])\n"
        "def test_long(n): pass\n"
    )
    assert [sum("test_long" in test for test in collect(mark)) for mark in ("not audit", "audit or sampled")] == [0, 9]


def test_another_seed_draws_other_cases(collect: Collect) -> None:
    assert collect("not audit", STRESSWEB_SEED="7") != collect("not audit")
