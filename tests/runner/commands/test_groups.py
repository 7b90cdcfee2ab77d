"""`stressweb --help` and `stressweb` alone: all commands under headings, in the documents' order, in full sentences."""

import re
from collections.abc import Callable
from pathlib import Path

from stressweb.runner.commands.cli import cli
from tests.runner.commands.command_line import Result

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "commands.md").read_text("utf-8")


def test_help_lists_the_commands_under_headings_in_the_order_of_the_documents(call: Callable[..., Result]) -> None:
    status, out, err = call("--help")
    assert (status, err) == (0, "")
    listed = re.findall(r"^  ([a-z][\w-]*)  ", out, re.MULTILINE)
    assert listed == [*cli.commands] == re.findall(r"^\| `stressweb ([\w-]+)", PAGE, re.MULTILINE)
    headings = re.findall(r"^(\w.*):$", out, re.MULTILINE)
    assert headings[-len(cli.headings) :] == [*cli.headings]
    assert sorted(name for names in cli.headings.values() for name in names) == sorted(cli.commands)


def test_help_cuts_no_sentence(call: Callable[..., Result]) -> None:
    text = " ".join(call("--help")[1].replace("[ARGS]...", "").split())
    assert "..." not in text
    for command in cli.commands.values():
        assert (command.help or "?").split(". ")[0].split("\n\n")[0].removesuffix(".") in text


def test_the_command_alone_prints_the_help_and_the_status_of_wrong_use(call: Callable[..., Result]) -> None:
    helped = call("--help")[1]
    status, out, err = call()
    assert (status, out) == (2, "")
    assert err == helped
    assert max(map(len, err.splitlines())) <= 80
