"""The type of amounts on the command line, such as seconds and dollars."""

import math
from typing import Any

import click


class Positive(click.FloatRange):
    """A finite number above 0."""

    def __init__(self) -> None:
        """Accept numbers above 0."""
        super().__init__(min=0, min_open=True)

    def convert(self, typed: Any, parameter: click.Parameter | None, context: click.Context | None) -> float:
        """Return the number; raises click's error if it is not one."""
        number: float = super().convert(typed, parameter, context)
        if not math.isfinite(number):
            self.fail(f"{typed!r} is not a number above 0.", parameter, context)
        return number
