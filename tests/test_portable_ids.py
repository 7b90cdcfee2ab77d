"""The id of a test is the same wherever the tree and the interpreter lie."""

from pathlib import Path

import pytest

from tests.portable_ids import LOCAL_PATHS
from tests.support.small_tree import pytest_in


@pytest.mark.parametrize("number", range(len(LOCAL_PATHS) + 1))
def test_an_id_with_a_path_of_this_machine_stops_the_collection(tmp_path: Path, number: int) -> None:
    local_path = ["/any/other/path", *sorted(LOCAL_PATHS)][number]
    (tmp_path / "conftest.py").write_text("pytest_plugins = ['tests.portable_ids', 'tests.sampling']")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    audit: x\n    sample: x\n")
    (tmp_path / "test_it.py").write_text(f"""
import pytest

@pytest.mark.parametrize("text", ["plain", pytest.param({local_path + " -x"!r}, marks=pytest.mark.audit)])
def test_it(text):
    pass
""")
    done = pytest_in(tmp_path, "-q", "-m", "not audit", COLUMNS="400")
    if number:
        assert f"test_it.py::test_it[{local_path} -x]: give the case an id without /" in done.stdout
    assert (done.returncode == 0) == (number == 0), done.stdout + done.stderr
