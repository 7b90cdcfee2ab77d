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


def test_another_seed_draws_other_cases(collect: Collect) -> None:
    assert collect("not audit", STRESSWEB_SEED="7") != collect("not audit")
