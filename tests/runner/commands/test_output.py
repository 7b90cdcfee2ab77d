"""Texts from outside cannot control the terminal."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.errors import UserError
from stressweb.log.recording import Cell
from stressweb.runner.commands.cli import guarded
from stressweb.runner.commands.output import printable, say


@given(st.text(st.characters()))
def test_printed_texts_have_no_control_characters_and_lose_nothing(text: str) -> None:
    printed = printable(text)
    assert all(letter in "\t\n" or letter >= " " for letter in printed)
    assert not set(printed) & set("\x7f\x9b\u202e\u2066\u2028")
    if text.isprintable():
        assert printed == text
    printed.encode()


def test_every_message_and_line_goes_through_it(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise UserError("task '\x1b]0;owned\x07' \x9b2J\u202e is unknown")

    assert guarded(fail) == 2
    say("\x1b[2Jgone", err=True)
    say("kept\tas it is: ä · 木\nnext")
    out, err = capsys.readouterr()
    assert err == "stressweb: task '\\x1b]0;owned\\x07' \\x9b2J\\u202e is unknown\n\\x1b[2Jgone\n"
    assert out == "kept\tas it is: ä · 木\nnext\n"


COMMANDS = {
    "help": ["--help"], "version": ["--version"], "alone": [], "list": ["list", "modes"],
    "json": ["list", "agents", "--json"], "plan": ["run", "--dry-run", "--verbose"],
    "table": ["grade", "RUN"], "curves": ["curves", "RUN"], "wrong": ["grade", "none"],
}  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_reader_that_goes_away_changes_no_status(name: str, edited: tuple[Path, Cell], tmp_path: Path) -> None:
    arguments = [str(edited[0].parent) if word == "RUN" else word for word in COMMANDS[name]]
    command = [sys.executable, "-P", "-m", "stressweb", *arguments]
    whole = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    read, write = os.pipe()
    # The reader is gone before the first byte, which is the hardest case and does not depend on timing.
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        unread = subprocess.run(command, cwd=tmp_path, stdout=pipe, stderr=pipe, check=False)
    assert unread.returncode == whole.returncode
    piped = shlex.join(command)
    shell = f"set -o pipefail; {piped} 2>errors | head -1"
    done = subprocess.run(["bash", "-c", shell], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (whole.returncode, b"".join(whole.stdout.splitlines(keepends=True)[:1]))
    assert (tmp_path / "errors").read_bytes() == whole.stderr


def test_a_closed_output_is_no_crash(tmp_path: Path) -> None:
    command = shlex.join([sys.executable, "-P", "-m", "stressweb", "list", "modes"])
    done = subprocess.run(["bash", "-c", f"{command} >&-"], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
