"""Quick tests are those of whole rooms that start nothing, and nothing can start in them."""

import re
from pathlib import Path

from stressweb.core.browser_program import find_browser
from tests.quick import ROOMS, TESTS
from tests.support.small_tree import pytest_in

TREE = {
    "conftest.py": "import pytest\npytest_plugins = ['tests.quick']\n\n\n@pytest.fixture\ndef browser():\n    return 1\n",
    "pytest.ini": "[pytest]\nmarkers = starts: x\n",
    "test_it.py": """import os, subprocess, sys
import pytest
from playwright.sync_api import sync_playwright

def test_plain():
    pass

def test_that_needs_a_browser(browser):
    pass

@pytest.mark.starts
def test_that_starts():
    pass

def test_a_process():
    subprocess.run([sys.executable, "-c", ""])

def test_a_fork():
    os.fork() or os._exit(0)

def test_a_browser():
    subprocess.Popen([os.environ["BROWSER_PROGRAM"], "--version"])

def test_playwright():
    with sync_playwright():
        pass
""",
}


def test_a_quick_test_can_start_no_browser_and_no_process(tmp_path: Path) -> None:
    for name, text in TREE.items():
        (tmp_path / name).write_text(text)
    browser = find_browser().path
    done = pytest_in(tmp_path, "--quick", "-q", "-rf", COLUMNS="400", BROWSER_PROGRAM=str(browser))
    assert "4 failed, 1 passed, 2 deselected" in done.stdout, done.stdout + done.stderr
    for test, program in (("process", "python"), ("fork", "os.fork"), ("browser", re.escape(browser.name))):
        (line,) = (line for line in done.stdout.splitlines() if line.startswith(f"FAILED test_it.py::test_a_{test} "))
        assert re.search(rf"a quick test starts nothing, not even \S*{program}[^/ ]*: ", line), line


def test_every_quick_room_is_there() -> None:
    assert [room for room in ROOMS if not (TESTS / room).exists()] == []
