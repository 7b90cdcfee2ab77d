"""Prints text with control characters escaped, so that no page, model or file can control the terminal."""

import io
import os
import re
import sys
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""All characters, except tab and line feed, that move the cursor, start an escape sequence, change the writing
direction, or cannot be encoded."""


def printable(text: str) -> str:
    """Return a text with control characters replaced by Python escapes: `\\x1b`."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def say(text: object = "", *, err: bool = False) -> None:
    """Print a line to standard output, or standard error if `err`; control characters are escaped."""
    click.echo(printable(str(text)), err=err)


def ignore_closed_readers() -> None:
    """Make standard output and error discard everything once their reader has gone.

    So a command that is piped to `head` ends with its own status, which click and rich would set to 1.
    """
    sys.stdout, sys.stderr = _ignoring_closed_reader(sys.stdout), _ignoring_closed_reader(sys.stderr)


class _Outlet(io.FileIO):
    """A file descriptor that discards everything once its reader has gone."""

    def write(self, buffer: "ReadableBuffer") -> int:
        """Write the bytes; if the reader has gone, discard them and all that follow."""
        try:
            return super().write(buffer)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return super().write(buffer)


def _ignoring_closed_reader(stream: TextIO) -> TextIO:
    # None if the process was started with the descriptor closed.
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    outlet = io.BufferedWriter(_Outlet(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(
        outlet, encoding=stream.encoding, errors=stream.errors, line_buffering=stream.line_buffering
    )
