"""The site of docs/my-site.md, built step by step in an empty folder, with the output of `verify` at each step."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.command_line import stressweb

pytestmark = [pytest.mark.long, pytest.mark.audit]

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "my-site.md").read_text("utf-8")
CHANGES = re.findall(r"^```diff\n--- (\S+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def verify(folder: Path) -> subprocess.CompletedProcess[str]:
    return stressweb(folder, "verify", "shed", "--seeds", "1")


def change(folder: Path, name: str, diff: str) -> None:
    """Apply a diff as a reader does: delete lines with a minus, add lines with a plus, and find the place by the others."""
    path = folder / name
    lines = path.read_text("utf-8").splitlines()
    index = 0
    for sign, line in ((marked_line[0], marked_line[1:]) for marked_line in diff.splitlines()):
        if sign == "+":
            lines.insert(index, line)
            index += 1
            continue
        index = lines.index(line)
        if sign == "-":
            del lines[index]
        else:
            index += 1
    path.write_text("\n".join(lines) + "\n", "utf-8")


def test_the_page_can_be_followed(tmp_path: Path) -> None:
    assert len(CHANGES) == 5
    assert stressweb(tmp_path, "new", "shed").returncode == 0
    show, label, form, task, check = CHANGES
    change(tmp_path, *show)
    done = verify(tmp_path)
    assert (done.returncode, "unknown label 'days'" in done.stderr) == (2, True), done.stderr
    assert re.search(r"shed/site\.yaml:\d+: ", done.stderr)
    change(tmp_path, *label)
    done = verify(tmp_path)
    assert done.returncode == 2
    assert "shed/lend-a-tool: expect: tool: an added row has no value for days" in done.stderr
    change(tmp_path, *form)
    change(tmp_path, *task)
    done = verify(tmp_path)
    assert done.returncode == 1
    assert "with another value in enter" in done.stdout
    assert "every checkpoint passes, and only the database shows the failure" in done.stdout
    assert "1 finding" in done.stdout
    change(tmp_path, *check)
    done = verify(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "shed: no findings in 1 world" in done.stdout
