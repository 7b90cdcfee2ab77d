"""Curves as a terminal shows them."""

import io

from rich.console import Console

from stressweb.analysis.curves.text import Pages
from stressweb.analysis.graded import Graded
from stressweb.core.price import Price
from tests.stressweb.analysis.curves.small_runs import curves

PRICES = {"naive": Price(input=2.5, output=10), "resilient": Price(input=2.5, output=10)}


def printed(episodes: list[Graded], width: int = 80, explain: bool = False) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(Pages("a run", curves(episodes, PRICES), explain))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()
