"""`make audit SHARD=2/8`: every test is in exactly one part."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.sharding import read_shard, shard_of
from tests.support.small_tree import pytest_in

ROOT = Path(__file__).resolve().parent.parent
PARTS = 3
TREE = {
    "conftest.py": "pytest_plugins = ['tests.sharding']\n",
    "test_many.py": "import pytest\n@pytest.mark.parametrize('n', range(40))\ndef test_one(n): pass\n",
    "test_together.py": (
        "import pytest\n@pytest.fixture(scope='module')\ndef shared(): pass\n"
        "@pytest.mark.parametrize('n', range(40))\ndef test_two(shared, n): pass\n"
    ),
}

type Pytest = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Pytest:
    """Run the tests of a small tree."""
    for name, text in TREE.items():
        (tmp_path / name).write_text(text)

    return partial(pytest_in, tmp_path, "-q")


def ids_in(output: str) -> list[str]:
    return [line for line in output.splitlines() if "::" in line]


def test_every_test_is_in_exactly_one_part(run: Pytest) -> None:
    everything = ids_in(run("--collect-only").stdout)
    parts = [ids_in(run("--collect-only", STRESSWEB_SHARD=f"{n}/{PARTS}").stdout) for n in range(1, PARTS + 1)]
    assert len(everything) == 80
    assert sorted(test for part in parts for test in part) == sorted(everything)
    assert all(any("test_many" in test for test in part) for part in parts), "a file is divided"
    counts = [sum("test_together" in test for test in part) for part in parts]
    assert sorted(counts) == [0, 0, 40], "but not where its tests share a fixture"


@pytest.mark.audit
def test_two_workers_run_the_same_part(run: Pytest) -> None:
    alone = ids_in(run("--collect-only", STRESSWEB_SHARD="2/3").stdout)
    done = run("-p", "xdist.plugin", "-n", "2", STRESSWEB_SHARD="2/3")
    assert done.returncode == 0, done.stdout
    assert f"{len(alone)} passed" in done.stdout


def test_a_part_may_be_empty(run: Pytest) -> None:
    counts = [run("test_together.py", STRESSWEB_SHARD=f"{n}/{PARTS}") for n in range(1, PARTS + 1)]
    assert [done.returncode for done in counts] == [0] * PARTS


@pytest.mark.parametrize("shard", ["9/8", "0/8", "2", "a/b", "1/0", "-1/2", "1/2/3"])
def test_a_wrong_part_is_refused_in_one_line(shard: str) -> None:
    with pytest.raises(ValueError, match=f"SHARD is '{shard}'; it takes a part and the number of parts") as caught:
        read_shard(shard)
    assert "\n" not in str(caught.value)


def test_a_wrong_part_ends_with_status_2(run: Pytest) -> None:
    done = run(STRESSWEB_SHARD="9/8")
    assert done.returncode == 2
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert "SHARD is '9/8'; it takes a part" in done.stderr


def test_the_parts_are_about_equal() -> None:
    sizes = [0] * 8
    for number in range(4000):
        sizes[shard_of(f"tests/test_x.py::test_y[{number}]", 8) - 1] += 1
    assert min(sizes) > 400
    assert max(sizes) < 600


@pytest.mark.audit
def test_the_parts_of_the_audit_are_the_audit() -> None:
    def collected(**environ: str) -> list[str]:
        command = [sys.executable, "-P", "-m", "pytest", "--collect-only", "-q", "-m", "audit or sampled"]
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **environ}, capture_output=True, text=True, check=False
        )
        return ids_in(done.stdout)

    everything = collected()
    parts = [collected(STRESSWEB_SHARD=f"{n}/8") for n in range(1, 9)]
    assert len(everything) > 3000
    assert sorted(test for part in parts for test in part) == sorted(everything)
    assert all(parts)
