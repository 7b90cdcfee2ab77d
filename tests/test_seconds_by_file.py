"""`--durations` also prints the seconds of whole files, set-up and failures included."""

import re
from pathlib import Path

from tests.support.small_tree import pytest_in

SLOW = """
import time, pytest
@pytest.fixture
def late():
    time.sleep(0.2)
@pytest.mark.parametrize("n", range(2))
def test_it(late, n):
    assert n
"""


def test_files_are_listed_by_their_seconds(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text("pytest_plugins = ['tests.seconds_by_file']\n")
    (tmp_path / "test_a_fast.py").write_text("def test_it(): pass\n")
    (tmp_path / "test_slow.py").write_text(SLOW)
    output = pytest_in(tmp_path, "--durations", "1").stdout
    lines = re.findall(r"^ +(\d+\.\d) s +(\d+)  (\S+.*)$", output, re.MULTILINE)
    assert [line[1:] for line in lines] == [("2", "test_slow.py"), ("1", "test_a_fast.py"), ("3", "all files")]
    assert float(lines[0][0]) >= 0.4
    assert "slowest files" not in pytest_in(tmp_path).stdout
