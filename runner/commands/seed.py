"""The type of a seed on the command line."""

from typing import Any

import click

EXPLANATION = "a seed is a whole number from 0 on, and the same seed always gives the same draws"


class Seed(click.IntRange):
    """A whole number from 0 on; for anything else the error explains what a seed is."""

    def __init__(self) -> None:
        """Accept any whole number from 0 on."""
        super().__init__(min=0)

    def convert(self, typed: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; raises click's error if the option is invalid."""
        try:
            number: int = super().convert(typed, param, ctx)
        except click.BadParameter:
            self.fail(f"{str(typed)[:40]!r} is no seed; {EXPLANATION}.", param, ctx)
        return number
