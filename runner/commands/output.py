"""The one place where text reaches the terminal: no page, model or file of a stranger can steer it."""

import re

import click

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Everything but tab and line feed that moves the cursor, starts an escape sequence, turns the direction of writing or
cannot be written at all."""


def printable(text: str) -> str:
    """Return a text with every control character written as Python would: `\\x1b`."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(text: object = "", *, err: bool = False) -> None:
    """Print a line, or to standard error, without control characters but tabs and line feeds."""
    click.echo(printable(str(text)), err=err)
