"""Amounts on the command line, such as seconds and dollars."""

import math
from typing import Any

import click


class Positive(click.FloatRange):
    """A number above 0. It is finite: nan is neither below nor above any limit."""

    def __init__(self) -> None:
        """Take numbers above 0."""
        super().__init__(min=0, min_open=True)

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> float:
        """Return the number, or fail with what was typed."""
        number: float = super().convert(value, parameter, context)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number above 0.", parameter, context)
        return number
