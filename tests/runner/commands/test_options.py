"""Every option of every command: the default in its help."""

from collections.abc import Callable

import click
import pytest

from scripts.docs.parts import options
from stressweb.runner.commands.cli import cli
from stressweb.runner.plan.experiment import OPTIONS, Experiment
from tests.runner.commands.command_line import Result

EVERY = [
    (name, option)
    for name, command in cli.commands.items()
    for option in command.params
    if isinstance(option, click.Option)
]
WITH_FILE = ("sweep", "nightly")
"""The commands that read an experiment file."""


def has_file_entry(option: click.Option) -> bool:
    """Return whether an option overrides an entry of the file; `--load` adds to it, and the others have no entry."""
    fields = {option: field for field, option in OPTIONS.items()}
    name = option.name or ""
    return fields.get(name, name) in Experiment.model_fields and name not in ("name", "shard", "load")


@pytest.mark.parametrize("name", cli.commands)
def test_no_help_and_no_document_shows_a_default_that_nobody_can_type(call: Callable[..., Result], name: str) -> None:
    status, out, _ = call(name, "--help")
    assert status == 0
    for text in (out, options(name)):
        assert not any(word in text for word in ("Sentinel", "UNSET", "None", "object at", "PosixPath", "<function"))


@pytest.mark.parametrize(("command", "option"), EVERY, ids=[f"{name} {option.name}" for name, option in EVERY])
def test_help_says_that_a_file_comes_before_a_default_exactly_where_it_does(command: str, option: click.Option) -> None:
    mentions_file = "the file's" in f"{option.show_default} {option.help}"
    assert mentions_file == (command in WITH_FILE and has_file_entry(option))
