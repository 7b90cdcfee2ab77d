"""Messages name commands that the user's shell finds."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stressweb.core.program_name import program_name

GOLDEN = Path(__file__).parents[2] / "golden"
"""Folder of a recorded run."""


@pytest.mark.parametrize(
    ("called", "is_on_path", "name"),
    [
        (".venv/bin/stressweb", False, ".venv/bin/stressweb"),
        (".venv/bin/stressweb", True, "stressweb"),
        ("/home/a b/bin/stressweb", False, "'/home/a b/bin/stressweb'"),
        ("/usr/lib/stressweb/__main__.py", False, "stressweb"),
    ],
)
def test_it_is_the_name_or_the_path_that_was_called(
    called: str, is_on_path: bool, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if is_on_path:
        (tmp_path / "stressweb").write_text("#!/bin/sh\n", "utf-8")
        (tmp_path / "stressweb").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program_name(called) == name


@pytest.mark.starts
def test_the_next_command_of_a_table_can_be_typed_as_it_is(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("stressweb")
    environment = {**os.environ, "PATH": str(tmp_path)}
    # A reader of a database may write to its file.
    folder = shutil.copytree(GOLDEN, tmp_path / "one")
    output = subprocess.check_output([program, "grade", folder], env=environment, text=True)
    assert f"next: {program} report {folder}" in " ".join(output.split())
