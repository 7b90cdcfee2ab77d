"""The one place where text reaches the terminal: no page, model or file of a stranger can steer it."""

import io
import os
import re
import sys
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Everything but tab and line feed that moves the cursor, starts an escape sequence, turns the direction of writing or
cannot be written at all."""


def printable(text: str) -> str:
    """Return a text with every control character written as Python would: `\\x1b`."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(text: object = "", *, err: bool = False) -> None:
    """Print a line, or to standard error, without control characters but tabs and line feeds."""
    click.echo(printable(str(text)), err=err)


def outlive_readers() -> None:
    """Make standard output and error discard what is written after their reader has gone.

    A command whose output goes to `head` then ends with its own status: neither click nor rich makes it 1.
    """
    sys.stdout, sys.stderr = _outliving(sys.stdout), _outliving(sys.stderr)


class _Outlet(io.FileIO):
    """A file descriptor that leads to nowhere once its reader has gone."""

    def write(self, data: "ReadableBuffer") -> int:
        """Write the data, or discard them and all that follow if the reader has gone."""
        try:
            return super().write(data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return super().write(data)


def _outliving(stream: TextIO) -> TextIO:
    # Both are None in a process that was started with the descriptor closed.
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    outlet = io.BufferedWriter(_Outlet(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(
        outlet, encoding=stream.encoding, errors=stream.errors, line_buffering=stream.line_buffering
    )
