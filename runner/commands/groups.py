"""The group of all commands, whose help lists them under headings, in the order of docs/commands.md."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import click

from stressweb.core.words import NO_TEXT, is_text


class CommandGroups(click.Group):
    """A group of commands under headings, in the order in which they are added."""

    def __init__(self, *args: object, **settings: object) -> None:
        """Start without commands."""
        super().__init__(*args, **settings)  # type: ignore[arg-type]
        self.headings: dict[str, list[str]] = {}
        """Names of the commands, by heading."""

    def add(self, headings: Mapping[str, Sequence[click.Command]]) -> None:
        """Add commands under their headings."""
        for heading, commands in headings.items():
            for command in commands:
                self.add_command(command)
                self.headings.setdefault(heading, []).append(command.name or "")

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments; raises UsageError for an argument that is not valid text, which cannot be recorded."""
        variables = {name: value for name, value in os.environ.items() if name.startswith("STRESSWEB_")}
        for text in (*args, *variables.values()):
            if not is_text(text):
                raise click.UsageError(f"{text!r} {NO_TEXT}")
        return super().make_context(info_name, args, parent, **extra)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every heading with its commands and their first sentences."""
        names = [name for listed in self.headings.values() for name in listed]
        width = max(map(len, names), default=0)
        for heading, listed in self.headings.items():
            with formatter.section(heading):
                # Padded, so that the sentences under all headings start in the same column.
                formatter.write_dl([(f"{name:<{width}}", _sentence(self.commands[name])) for name in listed])


def _sentence(command: click.Command) -> str:
    """Return the first sentence of a command's help, not truncated."""
    return command.get_short_help_str(limit=10_000)
