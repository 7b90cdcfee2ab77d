"""The files of docs/extending.md, in an empty folder outside the project, as somebody else would try them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = dict(
    re.findall(
        r"^`([\w./]+)`:\n\n```\w+\n(.*?\n)```",
        (ROOT / "docs" / "extending.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the page, and one that does not import."""
    made = tmp_path_factory.mktemp("outside")
    for name, text in {**FILES, "broken.py": "\nimport nothing_of_this_name\n"}.items():
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_text(text, encoding="utf-8")
    return made


def stressweb(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", "-m", "runner", *arguments]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=240, check=False)


def test_the_page_has_every_kind_of_file() -> None:
    assert sorted(FILES) == [
        "library/checks.py",
        "library/site.yaml",
        "library/tasks.yaml",
        "my_agent.py",
        "my_mode.py",
    ]


def test_an_agent_a_mode_and_a_site_of_ones_own_run_and_are_graded(folder: Path) -> None:
    loads = ("--load", "library", "--load", "my_mode.py")
    done = stressweb(
        folder, "run", *loads, "--agent", "my_agent:FirstLink,naive,resilient", "--mode", "advert@5,remap@5",
        "--task", "library/borrow-a-book", "--run", "first", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = {(row["agent"], row["condition"]): row for row in json.loads(done.stdout)["rows"]}
    successes = {key: row["successes"] for key, row in rows.items()}
    assert successes == {
        ("first-link", "clean"): 0, ("first-link", "advert@5"): 0, ("first-link", "remap@5"): 0,
        ("naive", "clean"): 1, ("naive", "advert@5"): 1, ("naive", "remap@5"): 0,
        ("resilient", "clean"): 1, ("resilient", "advert@5"): 1, ("resilient", "remap@5"): 1,
    }  # fmt: skip
    assert rows["first-link", "clean"]["false_claims"] == 1
    graded = stressweb(folder, "grade", "first", "--load", "library", "--json")
    assert (graded.returncode, json.loads(graded.stdout)["regraded"]) == (0, 0), graded.stderr


def test_they_are_listed_beside_what_ships_and_a_broken_one_is_named(folder: Path) -> None:
    listed = stressweb(folder, "list", "agents", "--load", "my_agent.py", "--json")
    assert {"first-link", "naive"} <= {one["agent"] for one in json.loads(listed.stdout)}
    listed = stressweb(folder, "list", "tasks", "--load", "library", "--json")
    assert "library/borrow-a-book" in {one["task"] for one in json.loads(listed.stdout)}
    wrong = stressweb(folder, "list", "modes", "--load", "broken.py")
    assert wrong.returncode == 2
    assert re.search(r"broken\.py:2: ModuleNotFoundError: No module named 'nothing_of_this_name'\n$", wrong.stderr)
    assert len(wrong.stderr.splitlines()) == 1
