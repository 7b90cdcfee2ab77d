"""The type of a seed on the command line."""

from typing import Any

import click

WHAT = "a seed is a whole number from 0 on, and the same seed always gives the same draws"


class Seed(click.IntRange):
    """A whole number from 0 on; anything else is answered with what a seed is."""

    def __init__(self) -> None:
        """Take any number from 0 on."""
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; raises click's error for a wrong option."""
        try:
            number: int = super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{str(value)[:40]!r} is no seed; {WHAT}.", param, ctx)
        return number
